/** Releases: names for fixed states, stored as annotated tags `<slug>/<name>`. */
import { Failure } from '../bundle/errors.ts'
import { accepts, checkReleaseName, sameIgnoringCase, shorten } from '../bundle/names.ts'
import { byteCache } from '../scheduling/byte-cache.ts'
import { slices } from '../scheduling/slices.ts'
import type { Author } from './objects/commit.ts'
import { findRival, listRefs, readFolder, readRef, readTag } from './refs/read-refs.ts'
import { FORMER_RELEASES, readTagObject, renderTag, retiredRef, TAGS } from './refs/tags.ts'
import type { RepositoryPast } from './revisions/past.ts'
import { peel } from './revisions/resolve-revision.ts'
import { EMPTY_SNAPSHOT, type Objects, type Snapshot, StateSnapshot } from './snapshot.ts'
import type { Store } from './store.ts'

export interface Release {
  name: string
  revision: string
  /** Seconds since 1970. */
  time: number
  author: Author
  /** Id of the tag object, which names all of the above. */
  tag: string
}

interface ReleaseName {
  slug: string
  name: string
}

/** What must hold of the newest state (that the project exists, say); throws otherwise. */
export type ReleaseCondition = (snapshot: Snapshot) => void

/** Most releases of a project: a list of them is one answer. */
const MOST = 10_000
/** Tags of one look at the objects. */
const READ_AT_ONCE = 100
/** A tag further in the future has a wrong clock, which the next release does not follow. */
const WRONG_CLOCK_SECONDS = 3600

/** The last second of JavaScript's dates, since 1970. */
const LAST_SECOND = 8.64e12

/** Tags by id, read once: a list of thousands is asked for again and again. */
const known = byteCache<Omit<Release, 'name'>>(4 * 2 ** 20)

/** Each organization's changes come one at a time. */
export class Releases {
  readonly #store: Pick<Store, 'look' | 'changeRefs' | 'settle'>

  constructor(store: Pick<Store, 'look' | 'changeRefs' | 'settle'>) {
    this.#store = store
  }

  /** All releases of a project, newest first. @throws Failure as `check` and `store.look` do */
  async list(organization: string, slug: string, check: ReleaseCondition): Promise<Release[]> {
    const gitDir = await this.#gitDir(organization, check)
    if (gitDir === undefined) return []
    const releases = await readAll(gitDir, slug, use =>
      this.#store.look(organization, history => use(history?.objects)),
    )
    return releases.sort((a, b) => b.time - a.time || (a.name < b.name ? 1 : -1))
  }

  /** One release. @throws Failure `not-found`, and as `check` and `store.look` do */
  async find(organization: string, { slug, name }: ReleaseName, check: ReleaseCondition): Promise<Release> {
    const gitDir = await this.#gitDir(organization, check)
    const id = gitDir && (await readTag(gitDir, `${slug}/${name}`))
    const release = id && (await this.#store.look(organization, history => read(history?.objects, name, id)))
    if (!release) throw unknownRelease({ slug, name })
    return release
  }

  /**
   * Names the newest acknowledged state; durable when it resolves. A deleted release's name comes back only as the very
   * same tag at the same revision: clones that fetched it still have it.
   * @throws Failure `conflict` for a present or former name, in any case of its letters, and as `check` does
   */
  create(organization: string, author: Author, { slug, name }: ReleaseName, check: ReleaseCondition): Promise<Release> {
    return this.#store.changeRefs(organization, async (history, change) => {
      check(stateOf(history))
      const { gitDir, objects, head } = history
      const ref = `${slug}/${name}`
      await refuseRival(gitDir, { slug, name })
      const former = await readRef(gitDir, FORMER_RELEASES + ref)
      if (former !== undefined && read(objects, name, former)?.revision !== head.commit) {
        throw taken({ slug, name })
      }
      const tag =
        former === undefined ? await renderRelease(history, author, { slug, name }) : objects.find(former)!.bytes
      const remove = former === undefined ? undefined : FORMER_RELEASES + ref
      return read(objects, name, await change({ tag, set: TAGS + ref, remove }))!
    })
  }

  /** Deletes a release and bars its name for other states. @throws Failure `not-found`, and as `check` does */
  remove(organization: string, { slug, name }: ReleaseName, check: ReleaseCondition): Promise<void> {
    return this.#store.changeRefs(organization, async (history, change) => {
      check(stateOf(history))
      const { gitDir, objects } = history
      const ref = `${slug}/${name}`
      const id = await readTag(gitDir, ref)
      if (id === undefined || read(objects, name, id) === undefined) throw unknownRelease({ slug, name })
      await change({ tag: objects.find(id)!.bytes, set: FORMER_RELEASES + ref, remove: TAGS + ref })
    })
  }

  /**
   * Moves the tags of a deleted project's releases, present and deleted, out of sight, before a new project gets the
   * slug in any case. Repeating it is harmless.
   * @throws Failure as `check` does, which refuses when such a project exists
   */
  async retire(organization: string, slug: string, check: ReleaseCondition): Promise<void> {
    // A release of the deleted project may still be under way.
    await this.#store.settle(organization)
    const gitDir = await this.#gitDir(organization, check)
    for (const { ref, retired } of gitDir === undefined ? [] : await retirable(gitDir, slug)) {
      await this.#store.changeRefs(organization, async (history, change) => {
        // Other nodes may write between two changes.
        check(stateOf(history))
        const id = await readRef(gitDir!, ref)
        const object = id === undefined ? undefined : history.objects.find(id)
        if (id === undefined || object?.type !== 'tag') return
        await change({ tag: object.bytes, set: retired(id), remove: ref })
      })
    }
  }

  #gitDir(organization: string, check: ReleaseCondition): Promise<string | undefined> {
    return this.#store.look(organization, history => {
      check(stateOf(history))
      return history?.gitDir
    })
  }
}

const stateOf = (history: RepositoryPast | undefined): Snapshot =>
  history ? new StateSnapshot(history.objects, history.head) : EMPTY_SNAPSHOT

async function renderRelease(
  { gitDir, objects, head, now }: RepositoryPast,
  tagger: Author,
  { slug, name }: ReleaseName,
): Promise<Buffer> {
  const others = await readAll(gitDir, slug, async use => use(objects))
  if (others.length >= MOST) {
    throw new Failure('conflict', `Project "${slug}" has ${MOST.toLocaleString('en')} releases, the most there can be.`)
  }
  const earliest = Math.max(Math.floor(now() / 1000), head.time)
  // A second later than the others, so that all who sort tags by time see the newest first.
  const before = others.map(({ time }) => time).filter(time => time < earliest + WRONG_CLOCK_SECONDS)
  const time = Math.max(earliest, ...before.map(time => time + 1))
  const parts = { commit: head.commit!, name: `${slug}/${name}`, tagger, time, message: `${slug} ${name}` }
  return renderTag(parts)
}

/** A project's releases in no order; `enter` runs a synchronous look at objects that may soon be gone. */
async function readAll(
  gitDir: string,
  slug: string,
  enter: <T>(use: (objects: Objects | undefined) => T) => Promise<T>,
): Promise<Release[]> {
  const tags = [...(await readFolder(gitDir, `${TAGS}${slug}/`))].filter(([name]) => accepts(checkReleaseName, name))
  const releases: (Release | undefined)[] = []
  const pause = slices()
  for (let at = 0; at < tags.length; at += READ_AT_ONCE) {
    const some = tags.slice(at, at + READ_AT_ONCE)
    releases.push(...(await enter(objects => some.map(([name, id]) => read(objects, name, id)))))
    await pause()
  }
  return releases.filter(release => release !== undefined)
}

/** The refs of releases, present and deleted, that a slug has had in any case. */
async function retirable(gitDir: string, slug: string) {
  const found: { ref: string; retired: (id: string) => string }[] = []
  for (const folder of [TAGS, FORMER_RELEASES]) {
    for (const ref of await listRefs(gitDir, folder)) {
      const [own = '', name, ...more] = ref.slice(folder.length).split('/')
      if (name === undefined || more.length > 0 || !sameIgnoringCase(own, slug)) continue
      found.push({ ref, retired: id => retiredRef(own, id, name) })
    }
  }
  return found
}

/** The release of a tag object; undefined for anything but an annotated tag of a commit with its maker. */
function read(objects: Objects | undefined, name: string, id: string): Release | undefined {
  let facts = known.get(id)
  if (facts === undefined) {
    const object = objects?.find(id)
    // Git creates no tag of a missing object: the tag or its target was damaged.
    if (objects && object === undefined) {
      throw new Failure(
        'unavailable',
        `The release "${name}" names an object that is missing, ${id}; parlance server verify says what to do.`,
      )
    }
    const revision = objects && peel(objects, id, true)
    if (object === undefined || revision === undefined) return undefined
    const { tagger, time } = readTagObject(object.bytes)
    if (tagger === undefined || time > LAST_SECOND) return undefined
    facts = { revision, time, author: tagger, tag: id }
    known.set(id, facts, { size: 400 + 2 * (tagger.name.length + tagger.email.length) })
  }
  return { name, ...facts }
}

/** @throws Failure `conflict` naming the present or former tag that excludes the new one */
async function refuseRival(gitDir: string, { slug, name }: ReleaseName): Promise<void> {
  const ref = `${slug}/${name}`
  const present = await findRival(gitDir, TAGS + ref, TAGS)
  if (present === TAGS + ref) {
    throw new Failure(
      'conflict',
      `Project "${slug}" has a release "${name}" already, and releases do not move: choose another name.`,
    )
  }
  const former = await findRival(gitDir, FORMER_RELEASES + ref, FORMER_RELEASES)
  const rival =
    present?.slice(TAGS.length) ??
    (former === FORMER_RELEASES + ref ? undefined : former?.slice(FORMER_RELEASES.length))
  if (rival === undefined) return
  const which = present === undefined ? 'the tag of a deleted release' : 'a tag that is there'
  throw new Failure(
    'conflict',
    `The tag "${ref}" cannot stand beside "${shorten(rival)}", ${which}: to some systems both names are one. ` +
      'Choose another name.',
  )
}

function taken({ slug, name }: ReleaseName): Failure {
  return new Failure(
    'conflict',
    `Project "${slug}" had a release "${name}" of another revision, and clones that fetched its tag still have that: choose another name.`,
  )
}

export function unknownRelease({ slug, name }: ReleaseName): Failure {
  return new Failure('not-found', `Project "${slug}" has no release "${name}".`)
}
