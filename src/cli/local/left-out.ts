/** Files that no command reads or writes, each with the reason. */
import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { CONFIG_FILE } from '../config/file.ts'
import { counted, shortList } from '../terminal/table.ts'
import { isLocalesFolder, isOtherFormat } from './detect.ts'
import { hintFor, isLanguageName, type LanguageNames } from './language-names.ts'
import { filesBelow } from './list-files.ts'
import { matcherOf, type Output, rootsOf } from './template.ts'
import type { LeftOut } from './types.ts'

/** The files and languages of an app. */
interface AppFiles {
  output: Output
  /** Whether each namespace is a file. */
  apart: boolean
  languages: readonly string[]
  names: LanguageNames
  /** The origin of the languages, for the reason. */
  origin: string
  /** The paths of its files. */
  paths: ReadonlySet<string>
  isOurs(namespace: string): boolean
}

/** The left-out files of a template. A function as template names no other files. */
export function leftOutOf(root: string, app: AppFiles): LeftOut[] {
  const { output, paths } = app
  if (typeof output === 'function') return []
  const match = matcherOf(output, app.apart)
  const isCode = (path: string) => /\.[cm]?[jt]sx?$/.test(path)
  return rootsOf(root, output).flatMap(folder => {
    // The root of an app and a folder without a name for texts have files of all kinds.
    const isRoot = folder === '' && existsSync(join(root, 'package.json'))
    const isMixed = !isLocalesFolder(posix.basename(folder))
    return filesBelow(root, folder).flatMap((path): LeftOut[] => {
      if (paths.has(path) || !(path.endsWith('.json') || isOtherFormat(path))) return []
      const found = match(path)
      const like = found ?? match(`${path.slice(0, -posix.extname(path).length)}.json`)
      const isLanguages = like !== undefined && isLanguageName(like.language)
      const isNear = isLanguages || hasKnownLanguage(path, app)
      if (!isNear && (isRoot || isCode(path) || (isMixed && like === undefined))) return []
      if (isCode(path) && (!isLanguages || posix.basename(path).startsWith('index.') || path.endsWith('.d.ts')))
        return []
      return [{ path, ...reasonOf(path, found, app) }]
    })
  })
}

/** Whether a folder of a path is named like a language of the app. */
const hasKnownLanguage = (path: string, { languages, names }: AppFiles): boolean =>
  path.split('/').some(segment => languages.includes(names.tagOf(segment) ?? ''))

function reasonOf(
  path: string,
  found: { language: string; namespace: string | undefined } | undefined,
  { output, languages, names, origin, isOurs }: AppFiles,
): Omit<LeftOut, 'path'> {
  if (found === undefined) {
    if (!path.endsWith('.json')) return { reason: 'It is not JSON, and Parlance reads and writes JSON only.' }
    const isDeeper = path.split('/').length > String(output).split('/').length
    if (isDeeper) return { reason: `It is deeper than ${output}, and the name of a namespace has no "/".` }
    return { reason: `It does not fit ${output}.` }
  }
  const { language, namespace } = found
  const tag = names.tagOf(language)
  // A config that `init` wrote lists the languages.
  const hint = `${hintFor(language)} Add the tag to its "languages" too.`
  if (tag === undefined) return { reason: `${JSON.stringify(language)} is not a language tag. ${hint}` }
  if (!languages.includes(tag)) {
    const known = isLanguageName(language) || names.isGiven(language)
    const reason = known
      ? `${origin} does not name the language${origin === CONFIG_FILE ? '' : `; "languages" in ${CONFIG_FILE} can`}.`
      : `${JSON.stringify(language)} is not a language that Parlance knows. ${hint}`
    return { reason, ...(known && { language: tag }) }
  }
  if (names.nameOf(tag) !== language) return { reason: `The texts of ${tag} are in ${names.nameOf(tag)}.` }
  if (namespace !== undefined && !isOurs(namespace)) {
    return { reason: `The configuration leaves the namespace ${namespace} out.` }
  }
  return { reason: `It does not fit ${output}.` }
}

/** A line for each reason; empty without left-out files. */
export function leftOutText(what: string, files: readonly LeftOut[]): string[] {
  if (files.length === 0) return []
  const lines = Array.from(
    Map.groupBy(files, ({ reason }) => reason),
    ([reason, inGroup]) =>
      `  ${shortList(
        inGroup.map(({ path }) => path),
        50,
      )}: ${reason}`,
  )
  return [`${what} (${counted(files.length, 'file')}):`, ...lines]
}

/** The languages of left-out files that the app does not name. */
export const unnamedIn = (files: readonly LeftOut[]): string[] => [
  ...new Set(files.flatMap(({ language }) => language ?? [])),
]
