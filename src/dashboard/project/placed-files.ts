/** Which bundle a file holds, by its path: `de/common.json`, `locales/de/common.json`, `common.de.json`, `de.json`. */
import { parseJson } from '../../bundle/json.ts'
import { checkLanguage, checkNamespace } from '../../bundle/names.ts'

/** A dropped file. */
export interface DroppedFile {
  /** With `/` between folders. */
  path: string
  bytes: Uint8Array
}

/** A file and its bundle; null where neither path nor content names it. */
export interface PlacedFile {
  /** Its own among all that were dropped: two archives may hold the same path. */
  id: string
  path: string
  language: string | null
  namespace: string | null
  /** The resource that it holds; null where it is none. */
  resource: Record<string, unknown> | null
  /** Why the file is refused, as a key of the dashboard's translations. */
  fault: 'not-json' | 'no-object' | null
}

/** The languages and namespaces of the project. */
export interface ProjectNames {
  languages: readonly string[]
  namespaces: readonly string[]
}

const holds = (check: (value: unknown) => string, text: string) => {
  try {
    check(text)
    return true
  } catch {
    return false
  }
}

/** A language's tag as written here: `_` of other tools is `-` in BCP 47. */
const tagOf = (text: string) => text.replaceAll('_', '-')

/** Whether a path is a JSON file. Archives add files of their own, such as `__MACOSX/` and dot files. */
export const isRead = (path: string): boolean => /\.json$/i.test(path) && !/(?:^|\/)(?:\.|__MACOSX\/)/.test(path)

/** The bundle of a file for which {@link isRead} is true. */
export const placeFile = ({ path, bytes }: DroppedFile, known: ProjectNames): Omit<PlacedFile, 'id'> => ({
  path,
  ...bundleOf(path, known),
  ...contentOf(bytes),
})

/** Files that share a bundle with another file: only one of them could be written. */
export function twiceIn(files: readonly PlacedFile[]): ReadonlySet<PlacedFile> {
  const whole = files.filter(
    ({ language, namespace, fault }) => language !== null && namespace !== null && fault === null,
  )
  const bundles = Map.groupBy(whole, ({ language, namespace }) => `${language}/${namespace}`)
  return new Set([...bundles.values()].filter(({ length }) => length > 1).flat())
}

function bundleOf(path: string, known: ProjectNames): Pick<PlacedFile, 'language' | 'namespace'> {
  const parts = path.replace(/\.json$/i, '').split('/')
  const base = parts.pop()!
  const only = known.namespaces.length === 1 ? known.namespaces[0]! : 'translation'
  // The nearest folder that is a language: `locales/de/common.json`, `app/de/LC/common.json`.
  const folder = parts.findLast(part => isLanguage(tagOf(part), known))
  if (folder !== undefined) return { language: tagOf(folder), namespace: asNamespace(base) }
  if (isLanguage(tagOf(base), known)) return { language: tagOf(base), namespace: only }
  for (const { at, sign } of signsIn(base)) {
    const [before, after] = [base.slice(0, at), base.slice(at + 1)]
    // `sign-in` is a name, though `in` is a language: dashes and underscores separate only certain matches.
    for (const [tag, rest] of [
      [tagOf(after), before],
      [tagOf(before), after],
    ] as const)
      if (sign === '.' ? isLanguage(tag, known) : known.languages.includes(tag) || /^[a-z]{2}-[A-Z]{2}$/.test(tag))
        return { language: tag, namespace: asNamespace(rest) }
  }
  return { language: null, namespace: asNamespace(base) }
}

/** Where a name may be parted: at its dots first. */
function signsIn(name: string): { at: number; sign: string }[] {
  const found = [...name.matchAll(/[._-]/g)].map(({ index, 0: sign }) => ({ at: index, sign }))
  return [...found.filter(({ sign }) => sign === '.'), ...found.filter(({ sign }) => sign !== '.')]
}

/** A language of the project, or a tag of two letters that ICU has a name for (`src` and `app` are folders). */
function isLanguage(tag: string, { languages }: ProjectNames): boolean {
  if (languages.includes(tag)) return true
  const [first = ''] = tag.split('-')
  return /^[a-z]{2}$/.test(first) && holds(checkLanguage, tag) && NAMES.of(first) !== undefined
}

const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

const asNamespace = (text: string) => (holds(checkNamespace, text) ? text : null)

function contentOf(bytes: Uint8Array): Pick<PlacedFile, 'resource' | 'fault'> {
  try {
    const value: unknown = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { resource: null, fault: 'no-object' }
    return { resource: value as Record<string, unknown>, fault: null }
  } catch {
    return { resource: null, fault: 'not-json' }
  }
}
