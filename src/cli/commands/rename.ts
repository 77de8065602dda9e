/** `parlance rename`: gives a key another name in all languages at once, with its text, forms and notes. */
import { findMessage } from '../../bundle/find.ts'
import { peel } from '../../bundle/message.ts'
import { bundles as bundlesShape, renamed } from '../api/answers.ts'
import { projectPath } from '../api/client.ts'
import { keyOf, readManifest } from '../api/key-name.ts'
import type { Context, Run } from '../context.ts'
import { Problem, usage } from '../problem.ts'
import { needAnswer } from '../terminal/ask.ts'
import { indented, showMessage, undoHint } from '../terminal/changes.ts'
import { asLine } from '../terminal/printable.ts'
import { shortList } from '../terminal/table.ts'

interface Options {
  namespace?: string
  dryRun?: boolean
  yes?: boolean
}

/**
 * With `--json`: `{ project, namespace, from, to, languages: [tag], revision, dryRun }`, `revision` the new commit,
 * null on a dry run.
 */
export const run: Run<Options> = async (context, { namespace: named, dryRun = false, yes = false }, operands) => {
  const [old = '', young = ''] = operands
  const question = 'Rename it in all of them?'
  await needAnswer(context, question, { dryRun, yes })
  const [api, project, manifest] = [await context.api(), await context.project(), await readManifest(context)]
  const from = await keyOf(context, old, named, manifest)
  // A new name without a namespace stays in that of the old one.
  const to = await keyOf(context, young, named, manifest).catch(() => ({ namespace: from.namespace, key: young }))
  const stays = to.key === young || to.namespace === from.namespace
  if (!stays) {
    throw usage(`A key is renamed within its namespace: ${from.namespace}, not ${to.namespace}.`, {
      hint: 'To move it, push it to the other namespace and delete it here.',
    })
  }
  const naming = { namespace: from.namespace, from: from.key, to: to.key }
  const found = await holding(context, manifest.languages, naming)
  const languages = found.map(([language]) => language)
  if (!yes || dryRun) {
    const plan = found.map(([, text]) => text).join('\n')
    if (dryRun) {
      const text = () => `${plan}\nNothing was changed: this was a dry run.`
      await context.print({ project, ...naming, languages, revision: null, dryRun }, text)
      return
    }
    await context.out(`${plan}\n`)
    if (!(await context.ask.confirm(question, '--yes'))) return void (await context.out('Nothing was changed.\n'))
  }
  const { json } = await api.ask('POST', projectPath(project, 'rename-key'), renamed, { body: naming })
  const document = { project, ...naming, languages: json.languages, revision: json.revision ?? null, dryRun }
  await context.print(document, () => {
    const what = `Renamed ${asLine(naming.from)} to ${asLine(naming.to)} in ${document.languages.join(', ')}.`
    return `${what}${undoHint(json.revision)}\nYour files have the old name until the next \`parlance pull\`, and your code until you change it.`
  })
}

/** The languages with the key, and its texts. @throws Problem if none has it, or if one has the new name */
async function holding(
  context: Context,
  languages: string[],
  { namespace, from, to }: { namespace: string; from: string; to: string },
): Promise<[language: string, text: string][]> {
  const [api, project] = [await context.api(), await context.project()]
  const names = languages.map(encodeURIComponent).join('+')
  const path = `${projectPath(project, 'bundles')}/${names}/${encodeURIComponent(namespace)}`
  const { json: bundles } = await api.ask('GET', path, bundlesShape, { query: { multi: true } })
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
  refusePrefix(
    from,
    Object.values(bundles).flatMap(bundle => bundle[namespace] ?? []),
  )
  throw new Problem(
    `No language has the key ${JSON.stringify(from)} in namespace "${namespace}" of project "${project}".`,
  )
}

/** @throws Problem (exit 2) for a prefix of keys */
function refusePrefix(name: string, resources: readonly object[]): void {
  const prefix = name.endsWith('.') ? name : `${name}.`
  const keys = new Set(resources.flatMap(resource => keysOf(resource, '')).filter(key => key.startsWith(prefix)))
  if (keys.size === 0) return
  throw usage(`${JSON.stringify(name)} is a prefix of keys, and rename renames one key only.`, {
    hint: `Below it: ${shortList([...keys].sort().map(asLine))}. Rename them key by key.`,
  })
}

/** The keys of a resource. A plural occurs once for each form. */
function keysOf(resource: object, prefix: string): string[] {
  return Object.entries(resource).flatMap(([name, value]) =>
    typeof value === 'string' ? peel(prefix + name).key : keysOf(value, `${prefix}${name}.`),
  )
}
