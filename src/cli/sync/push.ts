/** Pushes: sends changes of the app's files to the server, as one plan and one commit. */
import { EMPTY_BUNDLE_BYTES, parseBundle } from '../../bundle/canonical.ts'
import { join, type LeafName } from '../../bundle/message.ts'
import type { Format } from '../../bundle/names.ts'
import type { Bundle } from '../../bundle/resource.ts'
import { needManifest } from '../api/key-name.ts'
import type { Context } from '../context.ts'
import { withAllFaults } from '../local/faults.ts'
import { collectNotes } from '../notes/collect-notes.ts'
import { listedNotes, type NoteChanges, noteChanges } from '../notes/note-changes.ts'
import { Problem } from '../problem.ts'
import { undoHint } from '../terminal/changes.ts'
import { counted } from '../terminal/table.ts'
import { type ComparedBundle, compare, nameOf, placeOf } from './compare.ts'
import { type Choices, type Preference, settled } from './conflicts.ts'
import { type Base, merge, textOf, withLeaves } from './merge.ts'
import { isListed, recordListed, resultOf } from './push-result.ts'
import { type KeyChangeRow, listed, rowsOf } from './rows.ts'
import {
  type CommandResult,
  localFiles,
  type Narrowing,
  recordBase,
  recordSending,
  recordTexts,
  type Scope,
  saveState,
} from './scope.ts'
import {
  asFilled,
  type OutgoingBundle,
  outgoingBundlesOf,
  post,
  type SendingRules,
  trial,
  withSkipped,
} from './sending.ts'
import { keysOf, readServer, type ServerBundles } from './server-bundles.ts'

/** Options of a push. */
export interface PushOptions extends Narrowing {
  dryRun?: boolean
  /** Deletes keys on the server that were deleted here. */
  prune?: boolean
  /** Replaces texts in all languages, not only in the source language. */
  overwrite?: boolean
  message?: string
  yes?: boolean
  prefer?: Preference
  /** Rules for left-out keys, added to those of the config. */
  leaveOut?: string[]
  /** False: the code is not read for notes. */
  notes?: boolean
}

/** The changes that a push would cause, from the server's answer to a dry run. */
interface Plan {
  server: ServerBundles
  bundles: ComparedBundle[]
  sent: OutgoingBundle[]
  equal: string[]
  /** The result of each key by the server. */
  rows: KeyChangeRow[]
  /** Undefined if the code was not read. */
  notes: NoteChanges | undefined
}

/** Maximum share of keys that a prune deletes without `--yes`. */
const MAX_PRUNED = 0.2
/** Maximum plans while the server changes. After them the push asks, or fails. */
const MAX_PLANS = 3

/**
 * @param withPull whether the plan also lists the changes of a following pull
 * @throws Problem for undecided conflicts, or for texts that the server refuses
 */
export async function push(
  scope: Scope,
  options: PushOptions,
  choices: Choices = new Map(),
  withPull = false,
): Promise<CommandResult & { revisions: string[] }> {
  const revisions: string[] = []
  try {
    const run = () => pushed(scope, options, choices, withPull, revisions)
    return { ...(await withAllFaults(scope.local, scope.has, run)), revisions }
  } catch (error) {
    throw afterPush(error, revisions)
  }
}

/** Adds the pushed revisions and their undo to a problem. */
export function afterPush(error: unknown, revisions: readonly string[]): unknown {
  if (revisions.length === 0) return error
  const problem = error instanceof Problem ? error : new Problem((error as Error).message, { cause: error })
  const { hint, data, ...where } = problem.where
  const undo = `Pushed before that.${undoHint(...revisions)}`
  return new Problem(problem.message, {
    ...where,
    hint: hint === undefined ? undo : `${hint} ${undo}`,
    data: { ...data, revisions },
  })
}

/** @param revisions receives the new revisions */
async function pushed(
  scope: Scope,
  options: PushOptions,
  choices: Choices,
  withPull: boolean,
  revisions: string[],
): Promise<CommandResult> {
  const { context } = scope
  const rules = await rulesOf(context, options)
  const code = options.notes === false ? undefined : await collectNotes(context, scope.local)
  const again = async (): Promise<Plan> => ({
    ...(await planOf(scope, options, rules, choices, revisions.length > 0)),
    notes: code && (await noteChanges(scope, code)),
  })
  let plan = await again()
  if (!context.json) await context.out(planText(scope, plan, withPull))
  for (let made = 1; ; made++) {
    const isNothing = plan.rows.every(({ result }) => result === 'skipped')
    if ((isNothing && !plan.notes?.changes.length) || options.dryRun) break
    const removed = plan.rows.filter(({ result }) => result === 'removed')
    if (made === 1 && removed.length > 0 && !options.yes) await allowPrune(scope, plan, removed.length)
    if (await send(scope, plan, rules, revisions)) break
    plan = await again()
    if (!context.json)
      await context.out(`The server has changed meanwhile. The plan now:\n${planText(scope, plan, withPull)}`)
    const isWider = plan.rows.filter(({ result }) => result === 'removed').length > removed.length
    if (options.yes && !isWider && made < MAX_PLANS) continue
    if (options.yes && !isWider)
      throw new Problem('The server changed again and again; nothing more was pushed.', { hint: 'Try again.' })
    const instead = isWider ? 'your agreement in a new push: it would delete more than before' : '--yes'
    if (!(await context.ask.confirm('Push this instead?', instead))) throw new Problem(nothing(revisions.length > 0))
  }
  const isPart = Boolean(options.language ?? options.namespace)
  const leftOut = isPart ? [] : await scope.local.leftOut()
  const listedBefore = plan.rows.filter(row => isListed(scope.state, row)).length
  if (!options.dryRun && !context.json) await recordListed(scope, plan.rows)
  const { ignoredKeys } = scope.local
  return resultOf(options, { ...plan, leftOut, ignoredKeys, listedBefore, isPart }, revisions)
}

async function rulesOf(
  context: Context,
  { overwrite = false, prune = false, message, prefer }: PushOptions,
): Promise<SendingRules> {
  // The server's source language decides which texts a push overwrites.
  const { sourceLanguage } = await needManifest(context)
  return { sourceLanguage, overwrites: overwrite, prunes: prune, prefer, message }
}

const nothing = (hasPushed: boolean) => (hasPushed ? 'Nothing more was pushed.' : 'Nothing was pushed.')

async function planOf(
  scope: Scope,
  options: PushOptions,
  rules: SendingRules,
  choices: Choices,
  hasPushed: boolean,
): Promise<Omit<Plan, 'notes'>> {
  const { context, api, project } = scope
  for (let made = 1; ; made++) {
    const progress = context.progress('Comparing')
    const found = await (async () => {
      const server = (await readServer(api, project))!
      refuseUnplaced(scope, server)
      const { pairs, equal, format } = await localFiles(scope, server)
      const found = await compare({ ...scope, format }, pairs, server)
      countIgnored(scope, server, [...pairs.map(({ file }) => nameOf(file)), ...equal], format)
      return { server, format, differing: found.differing, equal: [...equal, ...found.equal] }
    })().finally(() => progress.stop())
    const asked = found.differing.map(bundle => underRules(bundle, rules))
    const bundles = await settled(context, asked, options.prefer, choices, hasPushed ? nothing(true) : undefined)
    const sent = bundles.flatMap(bundle => outgoingBundlesOf(bundle, rules, found.format))
    const rows = await trial(scope, sent, rules)
    if (rows) return { server: found.server, equal: found.equal, bundles, sent, rows: withSkipped(bundles, rows) }
    if (made === MAX_PLANS)
      throw new Problem(`The server changed again and again. ${nothing(hasPushed)}`, { hint: 'Try again.' })
  }
}

/** Counts the left-out keys of bundles without a local file. */
function countIgnored({ local, has }: Scope, { bundles }: ServerBundles, read: string[], format: Format): void {
  if (local.ignoredKeys.isEmpty) return
  const known = new Set(read)
  for (const [name, bytes] of bundles) {
    const place = placeOf(name)
    if (has(place) && !known.has(name)) local.ignoredKeys.leavesIn(parseBundle(bytes, format), place.namespace)
  }
}

/** Refuses a server with namespaces that the files have no place for: a push would add all texts again. */
function refuseUnplaced({ local, has, isStateless }: Scope, { bundles }: ServerBundles): void {
  if (isStateless || typeof local.layout !== 'object') return
  const names = [...bundles].filter(([, bytes]) => !EMPTY_BUNDLE_BYTES.equals(bytes)).map(([name]) => placeOf(name))
  for (const place of names.filter(has)) local.pathOf(place.language, place.namespace)
}

/**
 * Skips conflicts that the server decides by itself. For a prune without a merge base, `--prefer` decides on keys that
 * the files lack.
 */
function underRules(bundle: ComparedBundle, rules: SendingRules): ComparedBundle {
  const { merged, file, isKnown, local } = bundle
  const isWhole = rules.overwrites || file.language === rules.sourceLanguage
  const { merged: filled, skipped } = isWhole ? { merged, skipped: [] } : asFilled(merged)
  if (!rules.prunes || isKnown || local === undefined) return { ...bundle, merged: filled, skipped }
  const missing = filled.pull.filter(leaf => textOf(merged.local, leaf) === undefined)
  if (missing.length === 0) return { ...bundle, merged: filled, skipped }
  if (rules.prefer === undefined) {
    const keys = new Set(missing.map(({ key }) => key))
    throw new Problem(
      `${bundle.name} has ${counted(keys.size, 'key')} on the server alone. Without an earlier pull it is unknown whether you deleted that.`,
      { file: file.path, hint: 'Run `parlance pull` first, or give --prefer yours to delete what the files lack.' },
    )
  }
  if (rules.prefer === 'theirs') return { ...bundle, merged: filled, skipped }
  const pull = filled.pull.filter(leaf => textOf(merged.local, leaf) !== undefined)
  return { ...bundle, skipped, merged: { ...filled, pull, deleted: [...filled.deleted, ...missing] } }
}

async function allowPrune({ context, has }: Scope, { server }: Plan, removed: number): Promise<void> {
  const meant = [...server.bundles].filter(([name]) => has(placeOf(name)))
  const all = meant.reduce((sum, [, bytes]) => sum + keysOf(bytes), 0)
  if (removed > all * MAX_PRUNED) {
    throw new Problem(
      `${removed} of ${counted(all, 'key')} would be deleted on the server, more than ${MAX_PRUNED * 100} %. Nothing was pushed.`,
      { hint: 'If that is meant, give --yes.' },
    )
  }
  if (await context.ask.confirm(`Delete ${counted(removed, 'key')} on the server?`, '--yes')) return
  throw new Problem('Nothing was pushed.')
}

/** @param revisions receives the new revisions @returns false if the server changed since the plan */
async function send(scope: Scope, plan: Plan, rules: SendingRules, revisions: string[]): Promise<boolean> {
  const { context } = scope
  const progress = context.progress('Pushing')
  const states = new Map(plan.sent.map(bundle => [bundle, sentLeavesOf(bundle)]))
  for (const [{ name, merged }, { after, leaves }] of states) {
    recordSending(scope, name, { server: merged.server, after }, leaves)
  }
  await saveState(scope)
  const each = async (sent: OutgoingBundle[], answer: { revision: string }) => {
    revisions.push(answer.revision)
    for (const bundle of sent) noteSent(scope, bundle, states.get(bundle)!, answer.revision)
    await saveState(scope)
  }
  const answered = await post(scope, plan.sent, rules, { dryRun: false }, each, plan.notes?.outgoing).finally(() =>
    progress.stop(),
  )
  if (!answered) return false
  recordBase(scope, plan.equal, plan.server.revision)
  await saveState(scope)
  return true
}

/** A bundle after its push, and the leaves that the push changes. */
interface SentLeaves {
  after: Bundle
  leaves: LeafName[]
}

function sentLeavesOf({ merged, removed }: OutgoingBundle): SentLeaves {
  const { local, server, push } = merged
  const leaves = [...push, ...removed]
  return { after: withLeaves(server, local, leaves), leaves }
}

/** Records the new merge base: the whole bundle, or the sent leaves. */
function noteSent(
  scope: Scope,
  { name, merged, ignored }: OutgoingBundle,
  { after, leaves }: SentLeaves,
  revision: string,
): void {
  const { local } = merged
  // These texts are no longer those of a pull.
  for (const leaf of leaves) scope.state.beforePull.get(name)?.leaves.delete(join(leaf))
  const base: Base = leaf => textOf(after, leaf) ?? null
  const left = merge(local, after, base)
  const waits = left.pull.every(leaf => textOf(local, leaf) === '')
  const deleted = left.deleted.filter(leaf => !ignored?.has(join(leaf)))
  if (waits && left.push.length + deleted.length === 0) {
    recordBase(scope, [{ name, ignored }], revision)
    return
  }
  recordTexts(scope, name, after, leaves)
  scope.state.unconfirmedPush.delete(name)
}

function planText({ context, state }: Scope, { rows, bundles, notes }: Plan, withPull: boolean): string {
  const coming = withPull
    ? bundles.flatMap(one => rowsOf(one, one.merged.local, one.merged.server, one.merged.pull))
    : []
  const heading = (text: string) => (withPull ? [text] : [])
  const unlisted = rows.filter(row => !isListed(state, row))
  const described = listedNotes(context, notes?.changes ?? [])
  const sending = [...(unlisted.length > 0 ? [listed(context, unlisted)] : []), ...described]
  const parts = [
    ...(sending.length > 0 ? [...heading('To the server:'), ...sending] : []),
    ...(coming.length > 0 ? [...heading('From the server:'), listed(context, coming)] : []),
  ]
  return parts.map(part => `${part}\n`).join('')
}
