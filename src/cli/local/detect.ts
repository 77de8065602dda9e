/**
 * Finds the locale files of an app without an i18next config: folders anywhere below the root, with files or folders
 * named like languages.
 */
import { dirname } from 'node:path'
import { usage } from '../problem.ts'
import { counted, shortList } from '../terminal/table.ts'
import { isLanguageName, tagOfWord } from './language-names.ts'
import { ownFiles } from './list-files.ts'

/** Locale files that one template names. */
export interface Layout {
  output: string
  /** Names on disk, the likely source first. */
  languages: string[]
  /** The number of files. */
  files: number
}

/** The layouts below a root. */
export interface SeenLayouts {
  /** Layouts of the app. Several are those of several apps. */
  likely: Layout[]
  /** Layouts of packages, tests and examples below the app. */
  unlikely: Layout[]
  /** A file of another format in place of locale files. */
  other: string | undefined
}

/** Tags by names on disk. */
type Names = Readonly<Record<string, string>>

interface Candidate {
  output: string
  languages: Set<string>
  namespaces: Set<string>
  files: Set<string>
}

/** Names of folders that hold locale files. */
const LOCALES = /^(?:.*[-_.])?(?:locales?|i18n|l10n|intl|lang(?:uage)?s?|translations?|messages|nls|strings)$/i
/** Names of folders with tests and examples. */
const SECONDARY = /^(?:__.*__|tests?|specs?|e2e|cypress|fixtures?|mocks?|examples?|samples?|demos?|stories|docs?)$/i
const OTHER_FORMATS = /\.(json5|jsonc|ya?ml|toml|po|properties|arb|[cm]?[jt]s)$/
const NOT_TEXTS = /(?:^|\/)(?:package(?:-lock)?|[tj]sconfig[^/]*|\.[^/]*)\.json$/

/**
 * Finds the layout of a root.
 * @throws Problem (exit 2) for several layouts, or for files of another format only
 */
export async function detectLayout(root: string, names?: Names): Promise<Layout | undefined> {
  const { likely, other } = await seenLayouts(root, names)
  if (likely.length > 1) {
    throw usage(`Several folders have locale files:\n${listed(likely)}\n`, {
      hint: `Name the one that is meant: --output '${likely[0]!.output}' for init, "output" in parlance.config.json. Each app of a monorepo has its own folder: run \`parlance init\` there.`,
    })
  }
  if (likely.length === 0 && other !== undefined) refuseOthers(other)
  return likely[0]
}

export const listed = (layouts: readonly Layout[]): string => layouts.map(one => `  ${described(one)}`).join('\n')

export const described = ({ output, languages, files }: Layout): string =>
  `${output}: ${counted(files, 'file')} of ${shortList(languages, 12)}`

/** @param names languages of the config, by names on disk that are no tags */
export async function seenLayouts(root: string, names: Names = {}): Promise<SeenLayouts> {
  const files = await ownFiles(root)
  const isName = (name: string) => Object.hasOwn(names, name) || isLanguageName(name)
  const isLikelyHere = (one: Candidate) => isLikely(one, names)
  const json = files.filter(path => path.endsWith('.json') && !NOT_TEXTS.test(path))
  const found = apart(candidatesIn(json, isName, true).filter(isLikelyHere))
  const packages = new Set(files.flatMap(path => (/.\/package\.json$/.test(path) ? [dirname(path)] : [])))
  // Layouts of the root itself win over those of packages below it.
  const rank = (one: Candidate) =>
    (isSecondary(one) ? 4 : 0) +
    (isHinted(one) ? 0 : 2) +
    (foldersAbove(one).some(folder => packages.has(folder)) ? 1 : 0)
  const best = Math.min(...found.map(rank))
  const [likely, unlikely] = [true, false].map(is => found.filter(one => (rank(one) === best) === is).map(layoutOf))
  const others = files.filter(path => OTHER_FORMATS.test(path) && !path.endsWith('.d.ts'))
  const [foreign] = found.length > 0 ? [] : candidatesIn(others, isName, false).filter(isLikelyHere).sort(better)
  return { likely: likely!, unlikely: unlikely!, other: foreign && [...foreign.files][0] }
}

/** The layouts if words such as `english` and `EN` were languages, and the tags of these words. */
export async function layoutsOfWords(root: string): Promise<{ layouts: Layout[]; names: Names }> {
  const files = (await ownFiles(root)).filter(path => path.endsWith('.json'))
  const words = new Set(files.flatMap(path => path.slice(0, -'.json'.length).split('/')))
  const tags: Record<string, string> = {}
  for (const word of words) {
    const tag = tagOfWord(word)
    if (tag !== undefined) tags[word] = tag
  }
  const { likely: layouts } = await seenLayouts(root, tags)
  const used = new Set(layouts.flatMap(({ languages }) => languages))
  return { layouts, names: Object.fromEntries(Object.entries(tags).filter(([word]) => used.has(word))) }
}

/** @param file the config with the path @throws Problem (exit 2) for a format other than JSON */
export function refuseOthers(path: string, file?: string): void {
  if (!OTHER_FORMATS.test(path)) return
  throw usage(`${path} is not JSON, and Parlance reads and writes JSON only; convert the locale files first.`, { file })
}

/** Whether a folder is named for locale files. */
export const isLocalesFolder = (name: string): boolean => LOCALES.test(name)

export const isOtherFormat = (path: string): boolean => OTHER_FORMATS.test(path)

/** Sorts languages, English first: most apps are written in it. `en-GB` beside `en-US` is a translation. */
export function ordered(
  languages: readonly string[],
  tagOf = (name: string): string => name.replaceAll('_', '-'),
): string[] {
  const likely = ['en', 'dev', 'en-US'].flatMap(tag => languages.find(name => tagOf(name) === tag) ?? [])
  const first = likely[0] ?? languages.find(name => isEnglish(tagOf(name)))
  const sorted = [...languages].sort()
  return first === undefined ? sorted : [first, ...sorted.filter(language => language !== first)]
}

/** Whether a name is English or i18next's `dev`. */
export const isEnglish = (language: string): boolean => /^(?:dev|en(?:[-_].*)?)$/.test(language)

/** Each template that a path fits. @param isByNamespace whether folders may be namespaces */
function candidatesIn(
  paths: readonly string[],
  isName: (name: string) => boolean,
  isByNamespace: boolean,
): Candidate[] {
  const found = new Map<string, Candidate>()
  const note = (segments: readonly string[], language: string, namespace: string, path: string) => {
    const output = segments.join('/')
    const one = found.get(output) ?? { output, languages: new Set(), namespaces: new Set(), files: new Set() }
    found.set(output, one)
    one.languages.add(language)
    one.namespaces.add(namespace)
    one.files.add(path)
  }
  for (const path of paths) {
    const folders = path.split('/')
    const name = folders.pop()!
    const stem = name.slice(0, name.lastIndexOf('.'))
    const end = name.slice(stem.length)
    for (const [at, folder] of folders.entries()) {
      if (!isName(folder)) continue
      note([...folders.with(at, '{{language}}'), `{{namespace}}${end}`], folder, stem, path)
    }
    if (isName(stem)) {
      note([...folders, `{{language}}${end}`], stem, '', path)
      const parent = folders.at(-1) ?? 'locales'
      // Two folders named for locale files are two layouts.
      if (isByNamespace && !LOCALES.test(parent)) {
        note([...folders.slice(0, -1), '{{namespace}}', `{{language}}${end}`], stem, parent, path)
      }
    } else {
      const parts = partsOf(stem, isName)
      if (parts) note([...folders, `${parts.output}${end}`], parts.language, parts.namespace, path)
    }
  }
  return [...found.values()]
}

/** Language and namespace in one name, with the longest language: `shop.en`, `shop_pt_BR`, `en-shop`. */
function partsOf(stem: string, isName: (name: string) => boolean) {
  const found = [...stem.matchAll(/[._-]/g)].flatMap(({ 0: sign, index }) => {
    const [first, last] = [stem.slice(0, index), stem.slice(index + 1)]
    if (first === '' || last === '') return []
    // A word for texts, as in `messages_en`, is no namespace.
    const name = (word: string) => (LOCALES.test(word) ? word : '{{namespace}}')
    return [
      ...(isName(last) ? [{ output: `${name(first)}${sign}{{language}}`, language: last, namespace: first }] : []),
      ...(isName(first) ? [{ output: `{{language}}${sign}${name(last)}`, language: first, namespace: last }] : []),
    ]
  })
  return found.sort((one, other) => other.language.length - one.language.length)[0]
}

/** The fixed folders at the beginning of a template. */
const baseOf = ({ output }: Pick<Candidate, 'output'>): string[] => {
  const segments = output.split('/')
  return segments.slice(
    0,
    segments.findIndex(segment => segment.includes('{{')),
  )
}

const foldersAbove = (one: Candidate): string[] => {
  const base = baseOf(one)
  return base.map((_, at) => base.slice(0, at + 1).join('/'))
}

const isSecondary = (one: Candidate): boolean => baseOf(one).some(folder => SECONDARY.test(folder))

const isHinted = (one: Candidate): boolean => baseOf(one).some(folder => LOCALES.test(folder))

function isLikely(one: Candidate, names: Names): boolean {
  const { output, languages, namespaces } = one
  // Many names have a hyphen and an end like a language: `user-id`.
  if (/[\w}][-_]\{\{|\}\}[-_]/.test(output) && (languages.size < 2 || !isHinted(one))) return false
  const isByNamespace = output.includes('{{namespace}}/{{language}}')
  if (isByNamespace && (namespaces.size < 2 || !(LOCALES.test(baseOf(one).at(-1) ?? '') || languages.size > 1))) {
    return false
  }
  const isSure = [...languages].some(name => /^[a-z]{2}(?:[-_]|$)/.test(name) || Object.hasOwn(names, name))
  return isSure && (languages.size > 1 || isHinted(one))
}

/** Prefers more languages, then more files, then a folder for each language. */
function better(one: Candidate, other: Candidate): number {
  const byNamespace = (output: string) => Number(!output.includes('{{language}}/'))
  return (
    other.languages.size - one.languages.size ||
    other.files.size - one.files.size ||
    byNamespace(one.output) - byNamespace(other.output) ||
    one.output.length - other.output.length
  )
}

/** Excludes candidates with files or folders of better ones. */
function apart(candidates: Candidate[]): Candidate[] {
  const chosen: Candidate[] = []
  for (const one of candidates.sort(better)) {
    const isOther = chosen.every(({ files, ...better }) => {
      const base = baseOf(better)
      const isBelow = base.length > 0 && base.every((folder, at) => baseOf(one)[at] === folder)
      return !isBelow && [...one.files].every(path => !files.has(path))
    })
    if (isOther) chosen.push(one)
  }
  return chosen
}

const layoutOf = ({ output, languages, files }: Candidate): Layout => ({
  output,
  languages: ordered([...languages]),
  files: files.size,
})
