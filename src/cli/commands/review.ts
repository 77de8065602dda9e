/** `parlance review`: lists the suggestions that wait for a review, by language. */
import { suggestions as suggestionsShape } from '../api/answers.ts'
import { pagesOf, projectPath } from '../api/client.ts'
import type { Of } from '../api/shape.ts'
import { readStatus } from '../api/status.ts'
import type { Context, Run } from '../context.ts'
import { indented, showMessage, showMessages } from '../terminal/changes.ts'
import { asLine } from '../terminal/printable.ts'
import { counted } from '../terminal/table.ts'

type Suggestion = Of<typeof suggestionsShape>['suggestions'][number]

interface Options {
  language?: string[]
  namespace?: string
}

/** Suggestions on a page: the server's maximum. */
const PAGE = 100

/**
 * With `--json`: `{ project, suggestions: [ { id, language, namespace, key, message, by, at, source, present, fits,
 * problems } ] }`. Waiting suggestions are no failure.
 */
export const run: Run<Options> = async (context, { language, namespace }) => {
  const project = await context.project()
  const api = await context.api()
  const suggestions: Suggestion[] = []
  const languages = language && [...new Set(language)]
  for (const one of languages ?? [undefined]) {
    const query = { language: one, namespace, limit: PAGE }
    const pages = pagesOf(api, projectPath(project, 'suggestions'), suggestionsShape, query)
    for await (const page of pages) suggestions.push(...page.suggestions)
  }
  // A mistyped name has no suggestions: the server says so.
  const isPart = Boolean(languages ?? namespace)
  if (isPart && suggestions.length === 0) await readStatus(api, project, { languages, namespace })
  await context.print({ project, suggestions }, () => {
    if (suggestions.length === 0) return 'No suggestion waits for a review.'
    return [...suggestions.map(row => shown(context, row)), summary(suggestions)].join('\n\n')
  })
}

/** A key, the source, the changes of the present text, and what speaks against the suggestion. */
function shown({ terminal: { style } }: Context, row: Suggestion): string {
  const { language, namespace, key, source, present, message, by, at, fits, problems } = row
  const name = typeof by === 'string' ? by : by.name
  const change = present === null ? showMessage(message) : showMessages(present, message, style, language)
  const doubts = [...(fits ? [] : ['the source has changed']), ...new Set(problems.map(({ kind }) => kind))]
  return [
    `${style('bold', asLine(`${language} ${namespace}:${key}`))}  ${style('dim', asLine(`${name}, ${at.slice(0, 10)}`))}`,
    ...(source === null ? [] : indented(showMessage(source), '  ').map(line => style('dim', line))),
    ...indented(change, '  '),
    ...(doubts.length === 0 ? [] : [`  ${style('red', 'check:')} ${asLine(doubts.join(', '))}`]),
  ].join('\n')
}

function summary(suggestions: Suggestion[]): string {
  const counts = Object.entries(Object.groupBy(suggestions, ({ language }) => language))
  return counts.map(([language, rows]) => `${language}: ${counted(rows!.length, 'suggestion')}`).join(', ')
}
