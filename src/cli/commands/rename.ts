/** `parlance rename`: gives a key another name in all languages at once, with its text, forms and notes. */
import { findMessage } from '../../bundle/find.ts'
import { projectPath } from '../api/client.ts'
import { keyOf, readManifest } from '../api/key-name.ts'
import type { Context, Run } from '../context.ts'
import { Problem, usage } from '../problem.ts'
import { needAnswer } from '../terminal/ask.ts'
import { indented, showMessage, undoHint } from '../terminal/changes.ts'
import { asLine } from '../terminal/printable.ts'

interface Options {
  namespace?: string
  dryRun?: boolean
  yes?: boolean
}

/**
 * With `--json`: `{ project, namespace, from, to, languages: [tag], revision, dryRun }`, `revision` the commit made,
 * null on a dry run.
 */
export const run: Run<Options> = async (context, { namespace: named, dryRun = false, yes = false }, operands) => {
  const [old = '', young = ''] = operands
  const question = 'Rename it in all of them?'
  await needAnswer(context, question, { dryRun, yes })
  const [api, project, manifest] = [await context.api(), await context.project(), await readManifest(context)]
  const from = await keyOf(context, old, named, manifest)
  // What comes without a namespace stays in the one where it is.
  const to = await keyOf(context, young, named, manifest).catch(() => ({ namespace: from.namespace, key: young }))
  const stays = to.key === young || to.namespace === from.namespace
  if (!stays) {
    throw usage(`A key is renamed within its namespace: ${from.namespace}, not ${to.namespace}.`, {
      hint: 'To move it, push it to the other namespace and delete it here.',
    })
  }
  const naming = { namespace: from.namespace, from: from.key, to: to.key }
  let languages: string[] | undefined
  if (!yes || dryRun) {
    const found = await holding(context, manifest.languages, naming)
    languages = found.map(([language]) => language)
    if (dryRun) {
      const text = () => `${found.map(([, text]) => text).join('\n')}\nNothing was changed: this was a dry run.`
      await context.print({ project, ...naming, languages, revision: null, dryRun }, text)
      return
    }
    await context.out(`${found.map(([, text]) => text).join('\n')}\n`)
    if (!(await context.ask.confirm(question, '--yes'))) return void (await context.out('Nothing was changed.\n'))
  }
  const { json } = await api.ask('POST', projectPath(project, 'rename-key'), { body: naming })
  const document = { project, ...naming, languages: json.languages, revision: json.revision ?? null, dryRun }
  await context.print(document, () => {
    const what = `Renamed ${asLine(naming.from)} to ${asLine(naming.to)} in ${document.languages.join(', ')}.`
    return `${what}${undoHint(json.revision)}\nYour files have the old name until the next \`parlance pull\`, and your code until you change it.`
  })
}

/** The languages that have the key, each with its texts. @throws Problem when none has it, or one has the new name */
async function holding(
  context: Context,
  languages: string[],
  { namespace, from, to }: { namespace: string; from: string; to: string },
): Promise<[language: string, text: string][]> {
  const [api, project] = [await context.api(), await context.project()]
  const names = languages.map(encodeURIComponent).join('+')
  const path = `${projectPath(project, 'bundles')}/${names}/${encodeURIComponent(namespace)}`
  const bundles: Record<string, Record<string, object>> = (await api.ask('GET', path, { query: { multi: true } })).json
  const found: [string, string][] = []
  for (const language of languages) {
    const resource = bundles[language]?.[namespace] ?? {}
    const message = findMessage(resource, from)
    if (message !== undefined && findMessage(resource, to) !== undefined) {
      throw new Problem(`There is a key ${JSON.stringify(to)} already, in ${language}.`, {
        hint: 'Choose another name.',
      })
    }
    if (message !== undefined) found.push([language, indented(showMessage(message), `  ${language}  `).join('\n')])
  }
  if (found.length > 0) return found
  throw new Problem(`No language has the key ${JSON.stringify(from)} in namespace "${namespace}".`)
}
