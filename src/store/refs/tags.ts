/** Tags: git's rules for their names, and annotated ones as objects, rendered so that no caller can forge a header. */
import { type Author, identity } from '../objects/commit.ts'

export const TAGS = 'refs/tags/'
/** Tags of deleted releases: hidden from clones, but retained, since their names are not given again. */
export const FORMER_RELEASES = 'refs/parlance/released/'
/** The rest after {@link FORMER_RELEASES} when another project has the slug: `<slug>/<tag id>/<name>`. */
const RETIRED = /^([^/]+)\/[0-9a-f]{40}\/([^/]+)$/

/** The ref of a deleted project's release after another project got the slug. No release is named like an object id. */
export const retiredRef = (slug: string, id: string, name: string): string => `${FORMER_RELEASES}${slug}/${id}/${name}`

/** The refs that named a former release earlier: an older copy may still have its tag there. */
export function earlierRefs(former: string): string[] {
  const name = former.slice(FORMER_RELEASES.length)
  const given = name.replace(RETIRED, '$1/$2')
  return given === name ? [TAGS + name] : [TAGS + given, FORMER_RELEASES + given]
}
/** Longest tag name in characters; each part is a file name, and few systems accept longer ones. */
const MOST_CHARACTERS = 250
/** What git-check-ref-format(1) forbids in a name, and all white space. */
const FORBIDDEN = /[\s\p{Cc}\p{Cs}~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/u
const FORBIDDEN_PART = /^(?:\.|-)|\.lock$|^$/i

/** Whether a tag may have this name: git-check-ref-format(1), and no leading hyphen, as in `git tag`. */
export function isTagName(name: string): boolean {
  if (name.length > MOST_CHARACTERS || name === '@' || FORBIDDEN.test(name)) return false
  return !name.split('/').some(part => FORBIDDEN_PART.test(part))
}

/** The parts of a tag; `time` is in seconds. */
interface TagParts {
  commit: string
  /** Without `refs/tags/`. */
  name: string
  tagger: Author
  time: number
  message: string
}

export function renderTag({ commit, name, tagger, time, message }: TagParts): Buffer {
  return Buffer.from(
    `object ${commit}\ntype commit\ntag ${name}\ntagger ${identity(tagger)} ${time} +0000\n\n${message}\n`,
  )
}

/** The target (of any type) of a tag object, ours or a person's; its tagger and time, if it has them. */
export function readTagObject(bytes: Buffer): { object: string | undefined; tagger: Author | undefined; time: number } {
  const end = bytes.indexOf('\n\n')
  const header = bytes.toString('utf8', 0, end < 0 ? bytes.length : end)
  const object = /^object ([0-9a-f]{40})$/m.exec(header)?.[1]
  const [, name, email, time] = /^tagger (.*?) ?<(.*)> (\d+) [-+]\d{4}$/m.exec(header) ?? []
  const tagger = name === undefined || email === undefined ? undefined : { name, email }
  return { object, tagger, time: Number(time ?? 0) }
}
