/**
 * Finds the locale files of an app without an i18next config, where i18next-cli's own detection and common frameworks
 * have them.
 */
import { join } from 'node:path'
import { usage } from '../problem.ts'
import { entriesOf } from './template.ts'

/** What is found: a template, and the languages that it has. */
export interface Layout {
  output: string
  languages: string[]
}

/** i18next-cli's places first, in its order; then what others use. */
const PLACES = [
  'public/locales',
  'locales',
  'src/locales',
  'src/assets/locales',
  'app/i18n/locales',
  'src/i18n/locales',
  'public/static/locales',
  'src/i18n',
  'app/locales',
  'i18n',
  'messages',
]

/** A language as people name folders and files by it. */
export const LANGUAGE = /^(?:dev|[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)$/
const OTHER_FORMATS = /\.(json5|ya?ml|[cm]?[jt]s)$/

/**
 * The first layout that a folder has: `<place>/<language>/<namespace>.json`, else `<place>/<language>.json`.
 * @throws Problem (exit 2) where there are only files of a format that we cannot write
 */
export async function detectLayout(root: string): Promise<Layout | undefined> {
  let other: string | undefined
  for (const place of PLACES) {
    const entries = entriesOf(join(root, place))
    const folders: string[] = []
    for (const { name, isFile } of entries) {
      if (isFile || !LANGUAGE.test(name)) continue
      const names = entriesOf(join(root, place, name))
        .filter(({ isFile }) => isFile)
        .map(({ name }) => name)
      if (names.some(name => name.endsWith('.json'))) folders.push(name)
      else other ??= firstOf(names, `${place}/${name}`)
    }
    if (folders.length > 0) return { output: `${place}/{{language}}/{{namespace}}.json`, languages: ordered(folders) }
    const files = entries.filter(({ isFile }) => isFile).map(({ name }) => name)
    const languages = files.filter(name => name.endsWith('.json')).map(name => name.slice(0, -'.json'.length))
    const named = languages.filter(language => LANGUAGE.test(language))
    if (named.length > 0) return { output: `${place}/{{language}}.json`, languages: ordered(named) }
    other ??= firstOf(
      files.filter(name => LANGUAGE.test(name.replace(/\..*/, ''))),
      place,
    )
  }
  if (other !== undefined) refuseOthers(other)
  return undefined
}

/** @param path of a locale file @param file that names it @throws Problem (exit 2) for a format that we cannot write */
export function refuseOthers(path: string, file?: string): void {
  if (!OTHER_FORMATS.test(path)) return
  throw usage(`${path} is no JSON, and Parlance reads and writes JSON only; convert the locale files first.`, { file })
}

function firstOf(names: readonly string[], folder: string): string | undefined {
  const name = names.find(name => OTHER_FORMATS.test(name))
  return name && `${folder}/${name}`
}

/** English first, since most apps are written in it, or what stands for it. */
function ordered(languages: string[]): string[] {
  const first =
    languages.find(language => language === 'en') ?? languages.find(language => /^(?:dev|en-)/.test(language))
  return first === undefined ? languages : [first, ...languages.filter(language => language !== first)]
}
