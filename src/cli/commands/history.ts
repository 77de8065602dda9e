/** `parlance history`: lists the commits of the project, a part of it or one key, newest first. */
import { type Commit, history } from '../api/answers.ts'
import { pagesOf, projectPath } from '../api/client.ts'
import { keyOf } from '../api/key-name.ts'
import type { Context, Run } from '../context.ts'
import { usage } from '../problem.ts'
import { indented, showMessages } from '../terminal/changes.ts'
import { asLine } from '../terminal/printable.ts'
import { cut } from '../terminal/width.ts'

interface Options {
  language?: string
  namespace?: string
  author?: string
  at?: string
  limit?: string
}

/** Rows without `--limit`, and the maximum of one answer. */
const ROWS = { otherwise: 20, page: 100 }

/**
 * With `--json`: `{ project, revisions: [ { revision, author: { name, email }, date, subject, changes, language?, key?,
 * before?, after? } ], more }`, as the API has them; `more`: there are earlier ones.
 */
export const run: Run<Options> = async (context, { limit: most, ...part }, [operand]) => {
  const limit = limitOf(most)
  const project = await context.project()
  const api = await context.api()
  const named = operand === undefined ? part : { ...part, ...(await keyOf(context, operand, part.namespace)) }
  const revisions: Commit[] = []
  const next = () => ({ ...named, limit: Math.min(ROWS.page, limit - revisions.length) })
  let more = false
  for await (const page of pagesOf(api, projectPath(project, 'history'), history, next)) {
    revisions.push(...page.revisions)
    more = (page.next ?? undefined) !== undefined
    if (revisions.length >= limit) break
  }
  await context.print({ project, revisions, more }, () => {
    if (revisions.length === 0) return 'No commit changed it.'
    const rest = more ? ['', `There may be more: --limit ${limit * 2}`] : []
    return [...revisions.map(revision => shown(context, revision)), ...rest].join('\n')
  })
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return ROWS.otherwise
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw usage(`--limit must be a number of revisions from 1, not ${JSON.stringify(text)}.`)
}

/** A line, and in the history of a key its changes below. */
function shown({ terminal: { style, columns } }: Context, revision: Commit): string {
  const { author, date, subject, changes, language, before, after } = revision
  const [id, time] = [revision.revision.slice(0, 7), date.slice(0, 16).replace('T', ' ')]
  const counts = changes === null || before !== undefined ? '' : `  ${countsOf(changes)}`
  const room = Math.max(20, columns - id.length - time.length - counts.length - 4)
  const what = cut(`${cut(asLine(author.name), 20)}: ${asLine(subject)}`, room)
  const line = `${style('yellow', id)}  ${style('dim', time)}  ${what}${style('dim', counts)}`.trimEnd()
  if (before === undefined || after === undefined) return line
  const sign = before === null ? '+' : after === null ? '-' : '~'
  return [line, ...indented(showMessages(before, after, style, language), `    ${sign} ${language}  `)].join('\n')
}

const countsOf = ({ added, updated, removed }: NonNullable<Commit['changes']>): string =>
  [added > 0 && `+${added}`, updated > 0 && `~${updated}`, removed > 0 && `-${removed}`].filter(Boolean).join(' ')
