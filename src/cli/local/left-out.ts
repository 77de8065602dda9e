/** Files beside an app's own that no command reads or writes, each with the reason. */
import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { isLocalesFolder, isOtherFormat } from './detect.ts'
import { hintFor, isLanguageName, type LanguageNames } from './language-names.ts'
import { filesBelow } from './list-files.ts'
import { matcherOf, type Output, rootsOf } from './template.ts'
import type { LeftOut } from './types.ts'

/** What an app takes. */
interface Taking {
  output: Output
  /** Whether each namespace is a file. */
  apart: boolean
  languages: readonly string[]
  names: LanguageNames
  /** What names the languages, for the reason. */
  origin: string
  /** The paths that it takes. */
  taken: ReadonlySet<string>
  isOurs(namespace: string): boolean
}

/** Of a template; a function tells nothing of files that it does not name. */
export function leftOutOf(root: string, taking: Taking): LeftOut[] {
  const { output, taken } = taking
  if (typeof output === 'function') return []
  const match = matcherOf(output, taking.apart)
  const isCode = (path: string) => /\.[cm]?[jt]sx?$/.test(path)
  return rootsOf(root, output).flatMap(folder => {
    // The root of an app has files of all kinds, and so may a folder that is not named for texts.
    const isRoot = folder === '' && existsSync(join(root, 'package.json'))
    const isMixed = !isLocalesFolder(posix.basename(folder))
    return filesBelow(root, folder).flatMap((path): LeftOut[] => {
      if (taken.has(path) || !(path.endsWith('.json') || isOtherFormat(path))) return []
      const found = match(path)
      const like = found ?? match(`${path.slice(0, -posix.extname(path).length)}.json`)
      const isLanguages = like !== undefined && isLanguageName(like.language)
      const isNear = isLanguages || namesTaken(path, taking)
      if (!isNear && (isRoot || isCode(path) || (isMixed && like === undefined))) return []
      if (isCode(path) && (!isLanguages || posix.basename(path).startsWith('index.') || path.endsWith('.d.ts')))
        return []
      return [{ path, ...reasonOf(path, found, taking) }]
    })
  })
}

/** Whether a folder of a path is one of a language that is taken. */
const namesTaken = (path: string, { languages, names }: Taking): boolean =>
  path.split('/').some(segment => languages.includes(names.tagOf(segment) ?? ''))

function reasonOf(
  path: string,
  found: { language: string; namespace: string | undefined } | undefined,
  { output, languages, names, origin, isOurs }: Taking,
): Omit<LeftOut, 'path'> {
  if (found === undefined) {
    if (!path.endsWith('.json')) return { reason: 'It is no JSON, and Parlance reads and writes JSON only.' }
    const isDeeper = path.split('/').length > String(output).split('/').length
    if (isDeeper) return { reason: `It lies deeper than ${output}: no namespace has a "/" in its name.` }
    return { reason: `${output} names no such file.` }
  }
  const { language, namespace } = found
  const tag = names.tagOf(language)
  if (tag === undefined) return { reason: `${JSON.stringify(language)} is no language tag. ${hintFor(language)}` }
  if (!languages.includes(tag)) {
    const known = isLanguageName(language)
    const reason = known
      ? `${origin} does not name ${tag}.`
      : `${JSON.stringify(language)} is no language that Parlance knows. ${hintFor(language)}`
    return { reason, ...(known && { language: tag }) }
  }
  if (names.nameOf(tag) !== language) return { reason: `The texts of ${tag} are in ${names.nameOf(tag)}.` }
  if (namespace !== undefined && !isOurs(namespace)) {
    return { reason: `The configuration leaves the namespace ${namespace} out.` }
  }
  return { reason: `${output} names no such file.` }
}

/** Paths of one reason that are named to a person. */
const MOST_NAMED = 10

/** For a person: a line for each reason; empty without any. */
export function leftOutText(what: string, files: readonly LeftOut[]): string[] {
  if (files.length === 0) return []
  const lines = Array.from(
    Map.groupBy(files, ({ reason }) => reason),
    ([reason, of]) => {
      const named = of.slice(0, MOST_NAMED).map(({ path }) => path)
      const more = of.length > MOST_NAMED ? ` and ${of.length - MOST_NAMED} more` : ''
      return `  ${named.join(', ')}${more}: ${reason}`
    },
  )
  return [`${what} (${files.length} ${files.length === 1 ? 'file' : 'files'}):`, ...lines]
}

/** The languages of files that are left out since the app does not name them. */
export const unnamedIn = (files: readonly LeftOut[]): string[] => [
  ...new Set(files.flatMap(({ language }) => language ?? [])),
]
