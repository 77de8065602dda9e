/** How far the translations of a project are, as the server counts it. */
import type { Counts } from '../../bundle/status.ts'
import { Problem } from '../problem.ts'
import { type Api, projectPath } from './client.ts'

/** The numbers of a language, the source's among them. */
export interface LanguageStatus extends Counts {
  language: string
  namespaces: (Counts & { namespace: string })[]
}

/** The numbers as of one revision. */
export interface Status {
  revision: string
  sourceLanguage: string
  languages: LanguageStatus[]
}

/** @param languages all by default @throws Problem naming a language or namespace that the project lacks */
export async function readStatus(
  api: Api,
  project: string,
  { languages = [], namespace }: { languages?: string[] | undefined; namespace?: string | undefined },
): Promise<Status> {
  const query = { namespace, language: languages.length === 1 ? languages[0] : undefined }
  const status: Status = (await api.ask('GET', projectPath(project, 'status'), { query })).json
  if (languages.length === 0) return status
  const found = new Map(status.languages.map(row => [row.language, row]))
  const lacking = languages.find(language => !found.has(language))
  if (lacking !== undefined) throw new Problem(`Project "${project}" has no language "${lacking}".`)
  return { ...status, languages: languages.map(language => found.get(language)!) }
}
