/** Where locale files are: i18next-cli's output template, or its function of a language and a namespace, both ways. */
import { readdirSync } from 'node:fs'
import { isAbsolute, join, posix } from 'node:path'
import { usage } from '../problem.ts'

/** i18next-cli's `extract.output`. */
export type Output = string | ((language: string, namespace?: string) => string)

const LANGUAGE = /\{\{\s*(?:language|lng)\s*\}\}/g
const NAMESPACE = /\{\{\s*(?:namespace|ns)\s*\}\}/g

/**
 * The path of a file, relative to the root, with `/`.
 * @param namespace undefined where a language is one file
 * @param origin whose template it is, for the message
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

/** Stands for any namespace in a path; i18next-cli asks a function with it too. */
const ANY = '*'
/** Stands for any language. */
const ANY_LANGUAGE = '\u0001'

/** A file that a template names. */
export interface Found {
  path: string
  language: string
  /** Undefined where a language is one file. */
  namespace: string | undefined
}

/**
 * The files that there are.
 * @param language undefined for all that the disk has, which a template alone can tell
 * @param apart whether each namespace is a file
 */
export function filesOf(
  root: string,
  { output, origin, language, apart }: { output: Output; origin: string; language?: string; apart: boolean },
): Found[] {
  const pattern = fill(output, origin, language ?? ANY_LANGUAGE, apart ? ANY : undefined)
  const whole = patternOf(pattern)
  const found: Found[] = []
  for (const path of matching(root, pattern.split('/'), '')) {
    const { l = language, n } = whole.exec(path)?.groups ?? {}
    if (l !== undefined && (n !== undefined || !apart)) found.push({ path, language: l, namespace: n })
  }
  return found
}

/** Reads the language and the namespace out of a path; undefined for a path that is none of the template's. */
export function matcherOf(output: string, apart: boolean) {
  const whole = patternOf(fill(output, '', ANY_LANGUAGE, apart ? ANY : undefined))
  return (path: string): { language: string; namespace: string | undefined } | undefined => {
    const { l, n } = whole.exec(path)?.groups ?? {}
    return l === undefined ? undefined : { language: l, namespace: n }
  }
}

/** The folders in which all locale files of a template lie, and nothing else does: `locales`, or one of each package. */
export function rootsOf(root: string, output: string): string[] {
  const folders = fill(output, '', ANY_LANGUAGE, ANY).split('/').slice(0, -1)
  const isOpen = (segment: string) => segment.includes(ANY) || segment.includes(ANY_LANGUAGE)
  const first = folders.findIndex(isOpen)
  const last = folders.findLastIndex(segment => !isOpen(segment))
  // Behind the last folder with a name of its own, unless that stands below one of a language: `locales/de/web/…`.
  const isByLanguage = first !== -1 && folders[first]!.includes(ANY_LANGUAGE)
  const length = first === -1 ? folders.length : last > first && !isByLanguage ? last + 1 : first
  return matching(root, folders.slice(0, length), '', false)
}

/** The paths on the disk that fit, segment by segment. */
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

/** What a folder holds, sorted; nothing where there is none. A link counts as what it most likely leads to. */
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

/** A pattern of a path or of a part of it; what stands for a language or a namespace is the same wherever it stands. */
function patternOf(pattern: string): RegExp {
  const seen = new Set<string>()
  const source = pattern.split(/([*\u0001])/).map(part => {
    if (part !== ANY && part !== ANY_LANGUAGE) return part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    const name = part === ANY ? 'n' : 'l'
    if (seen.has(name)) return `\\k<${name}>`
    seen.add(name)
    return `(?<${name}>[^/]+)`
  })
  return new RegExp(`^${source.join('')}$`)
}
