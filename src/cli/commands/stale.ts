/** `parlance stale`: lists stale translations with the changed words of their source. */
import { staleKeys } from '../api/answers.ts'
import { type Api, pagesOf, projectPath } from '../api/client.ts'
import type { Of } from '../api/shape.ts'
import { readStatus } from '../api/status.ts'
import type { Context, Run } from '../context.ts'
import { indented, showMessage, showMessages } from '../terminal/changes.ts'
import { asLine } from '../terminal/printable.ts'
import { counted } from '../terminal/table.ts'
import { padded } from '../terminal/width.ts'

/** `source` is that of now, `sourceThen` that at the time of the translation. */
type StaleKey = Of<typeof staleKeys>['keys'][number] & { language: string }

interface Options {
  language?: string[]
  namespace?: string
}

/** Keys on a page: the server's maximum. */
const PAGE = 1000

/**
 * With `--json`: `{ project, revision, sourceLanguage, keys: [ { language, namespace, key, source, sourceThen, message
 * } ] }`. Stale keys are no failure, unlike for `parlance status --fail-on stale`.
 */
export const run: Run<Options> = async (context, { language, namespace }) => {
  const project = await context.project()
  const api = await context.api()
  const { revision, sourceLanguage, languages } = await readStatus(api, project, { languages: language, namespace })
  const keys: StaleKey[] = []
  for (const row of languages) {
    if (row.stale > 0) keys.push(...(await staleIn(api, project, { language: row.language, namespace, at: revision })))
  }
  await context.print({ project, revision, sourceLanguage, keys }, () => {
    if (keys.length === 0) return 'Nothing is stale.'
    return [...keys.map(row => shown(context, row, sourceLanguage)), summary(keys)].join('\n\n')
  })
}

async function staleIn(
  api: Api,
  project: string,
  part: { language: string; namespace: string | undefined; at: string },
): Promise<StaleKey[]> {
  const keys: StaleKey[] = []
  const query = { ...part, is: 'stale', limit: PAGE }
  for await (const page of pagesOf(api, projectPath(project, 'status', 'keys'), staleKeys, query)) {
    for (const { namespace, key, source, sourceThen, message } of page.keys) {
      keys.push({ language: part.language, namespace, key, source, sourceThen, message })
    }
  }
  return keys
}

/** A key, the changes of its source, and the translation of the old source. */
function shown({ terminal: { style } }: Context, row: StaleKey, sourceLanguage: string): string {
  const { language, namespace, key, source, sourceThen, message } = row
  const width = Math.max(language.length, sourceLanguage.length)
  const part = (name: string, lines: [string, string][]) => {
    const [first = '', ...rest] = indented(lines, '')
    return [`  ${style('dim', padded(name, width))}  ${first}`, ...rest.map(line => ' '.repeat(width + 4) + line)]
  }
  return [
    style('bold', asLine(`${namespace}:${key}`)),
    ...part(sourceLanguage, showMessages(sourceThen, source, style, sourceLanguage)),
    ...part(language, showMessage(message)),
  ].join('\n')
}

function summary(keys: StaleKey[]): string {
  const languages = new Set(keys.map(({ language }) => language))
  return `${counted(keys.length, 'stale translation')} in ${[...languages].join(', ')}.`
}
