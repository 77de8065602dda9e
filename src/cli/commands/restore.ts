/** `parlance restore`: restores a key or a namespace as of a revision, a release or a time. */
import { restored } from '../api/answers.ts'
import { projectPath } from '../api/client.ts'
import { type KnownNames, keyOf, readManifest } from '../api/key-name.ts'
import { anything, type Of } from '../api/shape.ts'
import type { Context, Run } from '../context.ts'
import { usage } from '../problem.ts'
import { needAnswer } from '../terminal/ask.ts'
import { countsText, showChanges, undoHint } from '../terminal/changes.ts'
import { sendPlanned } from './planned-change.ts'

interface Options {
  at: string
  language?: string
  namespace?: string
  dryRun?: boolean
  yes?: boolean
}

/** `restoredBy` is the new commit. Older servers do not send it. */
type Restored = Of<typeof restored>

interface RestoredPart {
  namespace: string
  key?: string
  language?: string
}

/**
 * With `--json`: `{ project, language?, namespace, key?, at, revision, restoredBy, added, updated, removed, dryRun,
 * changes: [ { language, namespace, key, before, after } ], more }`, `restoredBy` null without a change.
 */
export const run: Run<Options> = async (context, options, [operand]) => {
  const { at, dryRun = false, yes = false, language, namespace } = options
  const question = `Restore it as it was at ${at}?`
  await needAnswer(context, question, { dryRun, yes })
  const project = await context.project()
  const part = { ...(await partOf(context, operand, namespace, at)), ...(language !== undefined && { language }) }
  const done = await sendPlanned(context, {
    ...{ route: 'restore', shape: restored, body: { at, ...part }, question, dryRun, yes, changesSomething },
    show: plan => showPlan(context, plan),
  })
  if (done === undefined) return
  const answer = done.isShown ? { ...done.answer, changes: [], more: 0 } : done.answer
  await context.print({ project, ...part, at, ...answer }, () => outcome(context, answer))
}

const changesSomething = ({ added, updated, removed }: Restored): boolean => added + updated + removed > 0

function outcome(context: Context, done: Restored): string {
  const { dryRun, restoredBy } = done
  if (!changesSomething(done)) return 'There is nothing to restore: it is as it was.'
  const changes = done.changes.length === 0 ? '' : `${showPlan(context, done)}\n`
  if (dryRun) return `${changes}Nothing was changed: this was a dry run.`
  return `${changes}Restored ${countsText(done)}.${undoHint(restoredBy)}`
}

function showPlan({ terminal: { style } }: Context, { changes, more }: Restored): string {
  return showChanges(changes, style) + (more > 0 ? `\n… and ${more} more` : '')
}

/** An operand is a namespace of now or then, else a key. @throws Problem (exit 2) if it may be both */
async function partOf(
  context: Context,
  operand: string | undefined,
  namespace: string | undefined,
  at: string,
): Promise<RestoredPart> {
  if (operand === undefined) {
    if (namespace !== undefined) return { namespace }
    throw usage('What is to be restored?', { hint: 'Name a key (`common:nav.home`) or a namespace.' })
  }
  if (namespace !== undefined) return { namespace, key: operand }
  const [now, then] = await Promise.all([readManifest(context), readManifest(context, at)])
  const namespaces = [...new Set([...now.namespaces, ...then.namespaces])]
  const manifest = { ...now, sourceLanguage: now.sourceLanguage ?? then.sourceLanguage, namespaces }
  if (!namespaces.includes(operand)) return keyOf(context, operand, undefined, manifest)
  if (await isKeyToo(context, operand, manifest)) {
    throw usage(`${JSON.stringify(operand)} is a namespace, and a key too.`, {
      hint: `Give --namespace ${operand} for all of the namespace, or the key as <namespace>:${operand}.`,
    })
  }
  return { namespace: operand }
}

async function isKeyToo(context: Context, operand: string, manifest: KnownNames): Promise<boolean> {
  const { namespace, key } = await keyOf(context, operand, undefined, manifest).catch(() => ({
    namespace: '',
    key: '',
  }))
  if (namespace === '' || manifest.sourceLanguage === undefined) return false
  const [api, project] = [await context.api(), await context.project()]
  const path = projectPath(project, 'bundles', manifest.sourceLanguage, namespace, key)
  return (await api.ask('GET', path, anything, { accept: [200, 404] })).status === 200
}
