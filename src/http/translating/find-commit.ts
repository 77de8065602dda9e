/** Finds the commit of a job that was killed between that commit and the note about it. */
import type { FastifyInstance } from 'fastify'
import { findBodyLine } from '../writing/find-body-line.ts'
import { JOB_TRAILER, type WrittenLanguage } from './write-language.ts'

/** Commits after the base that are looked at. */
const MOST_COMMITS = 10_000

/** @param base the newest revision before the write @returns undefined where there is no such commit */
export async function findCommit(
  server: Pick<FastifyInstance, 'store'>,
  organization: string,
  { job, language, base }: { job: string; language: string; base: string | null },
): Promise<WrittenLanguage | undefined> {
  const begin = `${JOB_TRAILER}: ${job} ${language} `
  const looked = { organization, since: base, most: MOST_COMMITS }
  const found = await findBodyLine<WrittenLanguage>(server, looked, (line, revision) => {
    if (!line.startsWith(begin)) return undefined
    const [written = 0, suggested = 0] = line.slice(begin.length).split(' ').map(Number)
    return { revision, written, suggested, refused: [] }
  })
  return found ?? undefined
}
