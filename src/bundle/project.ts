/** A project's own file, and the paths of a project's files in the organization's repository. */
import { Failure } from './errors.ts'
import { checkFormat, checkLanguage, checkNamespace, checkProjectName, checkSlug, type Format } from './names.ts'

export interface Project {
  /** The name of the project's folder; it does not stand in the file. */
  slug: string
  name: string
  sourceLanguage: string
  defaultFormat: Format
}

/** The canonical bytes of `project.json`. */
export function renderProject({ defaultFormat, name, sourceLanguage }: Project): Buffer {
  return Buffer.from(`${JSON.stringify({ defaultFormat, name, sourceLanguage }, null, 2)}\n`)
}

/**
 * Reads a `project.json`.
 * @throws Failure `unfit` naming the file when it is no such file or breaks a rule for one of its values
 */
export function parseProject(slug: string, bytes: Uint8Array): Project {
  try {
    const { name, sourceLanguage, defaultFormat } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return {
      slug: checkSlug(slug),
      name: checkProjectName(name),
      sourceLanguage: checkLanguage(sourceLanguage),
      defaultFormat: checkFormat(defaultFormat),
    }
  } catch (error) {
    const why = error instanceof Failure ? error.message : 'It is not a JSON object in UTF-8.'
    throw new Failure('unfit', `${projectPath(slug)} is no project: ${why}`)
  }
}

export const projectPath = (slug: string): string => `${slug}/project.json`

export const localesPath = (slug: string): string => `${slug}/locales`

export const bundlePath = (slug: string, language: string, namespace: string): string =>
  `${localesPath(slug)}/${language}/${namespace}.json`

/** What a file in the repository is. */
export type Place =
  | { kind: 'project'; slug: string }
  | { kind: 'bundle'; slug: string; language: string; namespace: string }

/** What the file at a path is, names checked; undefined when it is nothing of ours. */
export function placeOf(path: string): Place | undefined {
  const [slug, second, language, file, ...deeper] = path.split('/')
  if (!accepts(checkSlug, slug)) return undefined
  if (second === 'project.json' && language === undefined) return { kind: 'project', slug }
  if (second !== 'locales' || !file?.endsWith('.json') || deeper.length > 0) return undefined
  const namespace = file.slice(0, -'.json'.length)
  if (!accepts(checkLanguage, language) || !accepts(checkNamespace, namespace)) return undefined
  return { kind: 'bundle', slug, language, namespace }
}

function accepts(check: (value: unknown) => string, value: string | undefined): value is string {
  try {
    return check(value) === value
  } catch {
    return false
  }
}
