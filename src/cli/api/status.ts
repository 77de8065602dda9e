/** The translation status of a project, as the server counts it. */
import type { Counts } from '../../bundle/status.ts'
import { Problem } from '../problem.ts'
import { status as statusShape } from './answers.ts'
import { type Api, projectPath } from './client.ts'
import type { Of } from './shape.ts'

export type Status = Of<typeof statusShape>

export type LanguageStatus = Status['languages'][number]

interface StatusQuery {
  /** All by default. */
  languages?: string[] | undefined
  namespace?: string | undefined
  /** Languages of the app. A language that the server does not know lacks all keys. */
  expected?: string[]
}

/** @throws Problem with a language or namespace that neither the project nor the app has */
export async function readStatus(
  api: Api,
  project: string,
  { languages = [], namespace, expected = [] }: StatusQuery,
): Promise<Status> {
  const [only, ...others] = languages
  const isAlone = only !== undefined && others.length === 0 && !expected.includes(only)
  const query = { namespace, language: isAlone ? only : undefined }
  const { json: status } = await api.ask('GET', projectPath(project, 'status'), statusShape, { query })
  if (!isAlone) addUntouched(status, expected)
  if (languages.length === 0) return status
  const found = new Map(status.languages.map(row => [row.language, row]))
  const lacking = languages.find(language => !found.has(language))
  if (lacking !== undefined) throw new Problem(`Project "${project}" has no language "${lacking}".`)
  return { ...status, languages: languages.map(language => found.get(language)!) }
}

function addUntouched({ languages, sourceLanguage }: Status, expected: readonly string[]): void {
  const source = languages.find(({ language }) => language === sourceLanguage)
  if (!source || source.keys === 0) return
  const untouched = ({ keys }: Counts): Counts => ({
    keys,
    translated: 0,
    empty: 0,
    incomplete: 0,
    missing: keys,
    stale: 0,
    problems: 0,
    extra: 0,
    approved: 0,
    machine: 0,
    suggested: 0,
  })
  for (const language of expected) {
    if (languages.some(row => row.language === language)) continue
    const namespaces = source.namespaces.map(({ namespace, ...counts }) => ({ namespace, ...untouched(counts) }))
    languages.push({ language, ...untouched(source), namespaces })
  }
  languages.sort((a, b) => (a.language < b.language ? -1 : 1))
}
