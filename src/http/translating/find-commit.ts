/** Finds the commit of a job that was killed between that commit and the note about it. */
import type { FastifyInstance } from 'fastify'
import { readCommitText } from '../../store/objects/commit.ts'
import { followFirstParents } from '../../store/revisions/past.ts'
import { JOB_TRAILER, type WrittenLanguage } from './write-language.ts'

/** Commits after the base that are looked at. */
const MOST_COMMITS = 10_000

/** @param base the newest revision before the write @returns undefined where there is no such commit */
export async function findCommit(
  { store }: Pick<FastifyInstance, 'store'>,
  organization: string,
  { job, language, base }: { job: string; language: string; base: string | null },
): Promise<WrittenLanguage | undefined> {
  const head = await store.look(organization, past => past?.head.commit ?? null)
  if (head === null || head === base) return undefined
  const begin = `${JOB_TRAILER}: ${job} ${language} `
  let commits = 0
  const found = await followFirstParents<WrittenLanguage | null>(
    head,
    use => store.look(organization, use),
    ({ objects }, id) => {
      if (id === base || commits++ === MOST_COMMITS) return null
      const { body } = readCommitText(objects.commit(id))
      const line = body.split('\n').find(one => one.startsWith(begin))
      if (line === undefined) return undefined
      const [written = 0, suggested = 0] = line.slice(begin.length).split(' ').map(Number)
      return { revision: id, written, suggested, refused: [] }
    },
  )
  return found ?? undefined
}
