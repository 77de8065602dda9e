/** Paths of locale files by i18next-cli's output template or function, and languages and namespaces by paths. */
import { readdirSync } from 'node:fs'
import { isAbsolute, join, posix } from 'node:path'
import { usage } from '../problem.ts'
import { isLanguageName } from './language-names.ts'

/** i18next-cli's `extract.output`. */
export type Output = string | ((language: string, namespace?: string) => string)

const LANGUAGE = /\{\{\s*(?:language|lng)\s*\}\}/g
const NAMESPACE = /\{\{\s*(?:namespace|ns)\s*\}\}/g

/**
 * The path of a file, relative to the root, with `/`.
 * @param origin the config of the template, for the message
 * @param namespace undefined if each language is one file
 * @throws Problem (exit 2) for a path that leads out of the root, or a function that fails
 */
export function fill(output: Output, origin: string, language: string, namespace?: string): string {
  let path: string
  if (typeof output === 'function') {
    try {
      path = String(output(language, namespace))
    } catch (error) {
      const { message } = error as Error
      throw usage(`extract.output fails for ${[language, namespace].filter(Boolean).join(', ')}: ${message}.`, {
        file: origin,
        cause: error,
      })
    }
  } else {
    const whole = namespace === undefined ? output.replace(/\/?\{\{\s*(?:namespace|ns)\s*\}\}/g, '') : output
    path = whole.replace(LANGUAGE, () => language).replace(NAMESPACE, () => namespace ?? '')
  }
  const tidy = posix.normalize(path.replaceAll('\\', '/'))
  if (isAbsolute(tidy) || tidy === '..' || tidy.startsWith('../')) {
    throw usage(`The path of the locale files leads out of the folder: ${path}. Begin it below this folder.`, {
      file: origin,
    })
  }
  return tidy
}

/** Whether each namespace is a file of its own. */
export const namesNamespaces = (output: Output, origin: string, language: string): boolean =>
  fill(output, origin, language, 'a') !== fill(output, origin, language, 'b')

/** Any namespace in a path. i18next-cli also calls a function with it. */
const ANY = '*'
/** Any language in a path. */
const ANY_LANGUAGE = '\u0001'

/** A file of a template. */
export interface TemplateFile {
  path: string
  language: string
  /** Undefined if each language is one file. */
  namespace: string | undefined
}

/**
 * Finds the files of a template on disk.
 * @param language undefined for all languages, which needs a template rather than a function
 * @param apart whether each namespace is a file
 */
export function filesOf(
  root: string,
  { output, origin, language, apart }: { output: Output; origin: string; language?: string; apart: boolean },
): TemplateFile[] {
  const pattern = fill(output, origin, language ?? ANY_LANGUAGE, apart ? ANY : undefined)
  const read = readerOf(pattern)
  const found: TemplateFile[] = []
  for (const path of matching(root, pattern.split('/'), '')) {
    const { l = language, n } = read(path) ?? {}
    if (l !== undefined && (n !== undefined || !apart)) found.push({ path, language: l, namespace: n })
  }
  return found
}

/** Reads language and namespace from a path; undefined for a path of another form. */
export function matcherOf(output: string, apart: boolean) {
  const read = readerOf(fill(output, '', ANY_LANGUAGE, apart ? ANY : undefined))
  return (path: string): { language: string; namespace: string | undefined } | undefined => {
    const { l, n } = read(path) ?? {}
    return l === undefined ? undefined : { language: l, namespace: n }
  }
}

/** The folders with all locale files of a template and no other files: `locales`, or one for each package. */
export function rootsOf(root: string, output: string): string[] {
  const folders = fill(output, '', ANY_LANGUAGE, ANY).split('/').slice(0, -1)
  const isOpen = (segment: string) => segment.includes(ANY) || segment.includes(ANY_LANGUAGE)
  const first = folders.findIndex(isOpen)
  const last = folders.findLastIndex(segment => !isOpen(segment))
  // Up to the last fixed folder, unless that is below a folder of a language: `locales/de/web/…`.
  const isByLanguage = first !== -1 && folders[first]!.includes(ANY_LANGUAGE)
  const length = first === -1 ? folders.length : last > first && !isByLanguage ? last + 1 : first
  return matching(root, folders.slice(0, length), '', false)
}

/** The paths on disk that fit, segment by segment. */
function matching(root: string, [segment, ...rest]: string[], at: string, isFiles = true): string[] {
  if (segment === undefined) return [at]
  const fits = patternOf(segment)
  return entriesOf(join(root, at))
    .filter(({ name, isFile }) => fits.test(name) && isFile === (isFiles && rest.length === 0))
    .flatMap(({ name }) => matching(root, rest, at === '' ? name : `${at}/${name}`, isFiles))
}

interface Entry {
  name: string
  isFile: boolean
}

/** The sorted entries of a folder; none for a missing one. A link with a file ending counts as a file. */
export function entriesOf(folder: string): Entry[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map(entry => ({
        name: entry.name,
        isFile: entry.isFile() || (entry.isSymbolicLink() && /\.\w+$/.test(entry.name)),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

/** Reads the groups of a path: the longest language that ICU knows, so that `shop_pt_BR` is `shop` in `pt_BR`. */
function readerOf(pattern: string) {
  const known = [3, 2, 1, 0].map(parts => patternOf(pattern, `[a-z]{2,3}(?:[-_][A-Za-z0-9]+){${parts}}`))
  const whole = patternOf(pattern)
  return (path: string) => {
    for (const one of known) {
      const groups = one.exec(path)?.groups
      if (groups?.l !== undefined && isLanguageName(groups.l)) return groups
    }
    return whole.exec(path)?.groups
  }
}

/** The expression of a path or a segment. Each occurrence of the language or namespace must be the same. */
function patternOf(pattern: string, language = '[^/]+'): RegExp {
  const seen = new Set<string>()
  const source = pattern.split(/([*\u0001])/).map(part => {
    if (part !== ANY && part !== ANY_LANGUAGE) return part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    const name = part === ANY ? 'n' : 'l'
    if (seen.has(name)) return `\\k<${name}>`
    seen.add(name)
    return name === 'l' ? `(?<l>${language})` : '(?<n>[^/]+)'
  })
  return new RegExp(`^${source.join('')}$`)
}
