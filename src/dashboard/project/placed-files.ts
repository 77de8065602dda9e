/**
 * The files of an import: which bundle each holds by its path (`de/common.json`, `locales/de/common.json`,
 * `common.de.json`, `de.json`), their limits, and the tree of their keys.
 */
import { parseJson } from '../../bundle/json.ts'
import { checkLanguage, checkNamespace } from '../../bundle/names.ts'
import type { Manifest } from '../api/client.ts'

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

export type ProjectNames = Pick<Manifest, 'languages' | 'namespaces'>

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

/** The bundle of a file for which {@link isRead} is true. @param path with `/` between folders */
export const placeFile = (
  { path, bytes }: { path: string; bytes: Uint8Array },
  known: ProjectNames,
): Omit<PlacedFile, 'id'> => ({ path, ...bundleOf(path, known), ...contentOf(bytes) })

/** Files that share a bundle with another file: only one of them could be written. */
export function twiceIn(files: readonly PlacedFile[]): ReadonlySet<PlacedFile> {
  const whole = files.filter(file => file.language !== null && file.namespace !== null && file.fault === null)
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
  // At dots first.
  const signs = [...base.matchAll(/[._-]/g)].sort((a, b) => Number(b[0] === '.') - Number(a[0] === '.'))
  for (const { index, 0: sign } of signs) {
    const [before, after] = [base.slice(0, index), base.slice(index + 1)]
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

/**
 * The limits of one import. More would freeze the tab, and the server refuses more in one push. `bytes` of all JSON
 * files and of one `file` are the server's default limits of a push and a namespace. Each of the JSON `files` is a row
 * of the plan. `entries` are looked through for JSON: a home folder may have been dropped.
 */
export const IMPORT_LIMITS = { bytes: 64 * 2 ** 20, file: 8 * 2 ** 20, files: 2000, entries: 50_000 } as const

/** An exceeded limit; `path` is that of a file that is too large. */
export class ImportTooLarge extends Error {
  readonly limit: keyof typeof IMPORT_LIMITS
  readonly path: string
  constructor(limit: keyof typeof IMPORT_LIMITS, path = '') {
    super(`An import exceeds the limit of ${limit}.`)
    this.limit = limit
    this.path = path
  }
}

/** Counts what an import has read so far. */
export class ReadSoFar {
  readonly #counts = { bytes: 0, files: 0, entries: 0 }

  /** @throws ImportTooLarge */
  add(what: 'bytes' | 'files' | 'entries', count = 1): void {
    this.#counts[what] += count
    if (this.#counts[what] > IMPORT_LIMITS[what]) throw new ImportTooLarge(what)
  }

  /** A JSON file that is about to be read. @throws ImportTooLarge */
  addFile(path: string, bytes: number): void {
    if (bytes > IMPORT_LIMITS.file) throw new ImportTooLarge('file', path)
    this.add('files')
    this.add('bytes', bytes)
  }
}

/** Keys that begin alike. @example { prefix: 'nav.', members: [{ key: 'nav.home' }, { key: 'nav.cart' }] } */
export type KeyGroup<Of> = { prefix: string; members: readonly Of[] }

/**
 * One level of the tree of keys, grouped by their next segment. A single key under a segment has no group.
 * @param said what the keys begin with already; '' on the first level
 */
export function groupKeys<Of extends { key: string }>(keys: readonly Of[], said = ''): (Of | KeyGroup<Of>)[] {
  const groups = Map.groupBy(keys, ({ key }) => key.slice(0, key.indexOf('.', said.length) + 1) || key)
  return [...groups].flatMap(([prefix, members]): (Of | KeyGroup<Of>)[] =>
    members.length > 1 ? [{ prefix, members }] : members,
  )
}
