/** A project's own file, and the paths of its files. */
import { type CheckSettings, checkLevels, withLevels } from '../bundle/checks/check-settings.ts'
import { Failure } from '../bundle/errors.ts'
import {
  accepts,
  checkFormat,
  checkInterpolation,
  checkLanguage,
  checkNamespace,
  checkProjectName,
  checkSlug,
  type Format,
  withoutMarks,
} from '../bundle/names.ts'
import type { Interpolation } from '../bundle/placeholders.ts'
import { type ReviewSettings, withReviews } from './review-settings.ts'

export interface Project {
  /** The project's folder name; not in the file. */
  slug: string
  name: string
  sourceLanguage: string
  defaultFormat: Format
  /** What stands around placeholders in its texts; undefined: i18next's own. */
  interpolation?: Interpolation | undefined
  /** The checks of its translations with another level than the default; undefined: none. */
  checks?: CheckSettings | undefined
  /** The languages with a review; undefined: none. */
  review?: ReviewSettings | undefined
}

/** A bundle's name within an organization. */
export interface BundleName {
  slug: string
  language: string
  namespace: string
}

/** The canonical bytes of `project.json`. */
export function renderProject(project: Project): Buffer {
  const { checks, defaultFormat, interpolation, name, review, sourceLanguage } = project
  const file = { checks, defaultFormat, interpolation, name, review, sourceLanguage }
  return Buffer.from(`${JSON.stringify(file, null, 2)}\n`)
}

/** Reads a `project.json`. @throws Failure `unfit` naming the file when it is none or breaks a rule */
export function parseProject(slug: string, bytes: Uint8Array): Project {
  try {
    const file = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    const missing = ['name', 'sourceLanguage', 'defaultFormat'].filter(field => file[field] === undefined)
    if (missing.length > 0) throw new Failure('unfit', `It lacks ${missing.map(field => `"${field}"`).join(', ')}.`)
    const { name, sourceLanguage, defaultFormat } = file
    const interpolation = file.interpolation === undefined ? undefined : checkInterpolation(file.interpolation)
    const checks = file.checks === undefined ? undefined : withLevels(undefined, checkLevels(file.checks))
    const source = checkLanguage(sourceLanguage)
    const review = file.review === undefined ? undefined : withReviews(undefined, file.review, source)
    return {
      slug: checkSlug(slug),
      name: storedName(slug, name),
      sourceLanguage: source,
      defaultFormat: checkFormat(defaultFormat),
      ...(interpolation && { interpolation }),
      ...(checks && { checks }),
      ...(review && { review }),
    }
  } catch (error) {
    const why = error instanceof Failure ? error.message : 'It is not a JSON object in UTF-8.'
    throw new Failure('unfit', `${projectPath(slug)} is no project: ${why}`)
  }
}

/** A name that was accepted before direction marks were refused is read without them. */
const storedName = (slug: string, name: unknown): string =>
  checkProjectName(typeof name === 'string' && name.trim() !== '' ? (withoutMarks(name) ?? slug) : name)

export const projectPath = (slug: string): string => `${slug}/project.json`

export const localesPath = (slug: string): string => `${slug}/locales`

export const languagePath = (slug: string, language: string): string => `${localesPath(slug)}/${language}`

export const bundlePath = ({ slug, language, namespace }: BundleName): string =>
  `${languagePath(slug, language)}/${namespace}.json`

/** A file of ours in the repository. */
export type OwnFile = { kind: 'project'; slug: string } | ({ kind: 'bundle' } & BundleName)

/** The file at a path, names checked; undefined when not ours. */
export function ownFile(path: string): OwnFile | undefined {
  const [slug, second, language, file, ...deeper] = path.split('/')
  if (!accepts(checkSlug, slug)) return undefined
  if (second === 'project.json' && language === undefined) return { kind: 'project', slug }
  if (second !== 'locales' || file === undefined || deeper.length > 0) return undefined
  const namespace = namespaceOf(file)
  if (namespace === undefined || !accepts(checkLanguage, language)) return undefined
  return { kind: 'bundle', slug, language, namespace }
}

/** The namespace of a file in a language's folder, undefined when it can have none. */
export function namespaceOf(file: string): string | undefined {
  const name = file.endsWith('.json') ? file.slice(0, -'.json'.length) : undefined
  return accepts(checkNamespace, name) ? name : undefined
}
