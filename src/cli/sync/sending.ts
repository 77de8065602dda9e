/** The requests of a push: whole bundles, each with the entity tag that the server must still have, and notes. */
import { parseResource, renderBundle } from '../../bundle/canonical.ts'
import type { LeafName } from '../../bundle/message.ts'
import type { Format } from '../../bundle/names.ts'
import { readFragment } from '../../bundle/resource.ts'
import { pushed } from '../api/answers.ts'
import { projectPath } from '../api/client.ts'
import type { Of } from '../api/shape.ts'
import type { OutgoingNote } from '../notes/note-changes.ts'
import { Problem } from '../problem.ts'
import { type ComparedBundle, placed } from './compare.ts'
import type { Preference } from './conflicts.ts'
import { type Merge, textOf, withLeaves } from './merge.ts'
import { type KeyChangeRow, rowsOf } from './rows.ts'
import type { Scope } from './scope.ts'
import { tagOf } from './server-bundles.ts'

/** A bundle in a request. */
export interface OutgoingBundle extends ComparedBundle {
  resource: object
  /** Leaves that a prune deletes. */
  removed: LeafName[]
}

/** How the server applies a push. */
export interface SendingRules {
  /** In this language pushed texts replace stored ones. */
  sourceLanguage: string
  /** Whether pushed texts replace stored ones in all languages. */
  overwrites: boolean
  prunes: boolean
  prefer: Preference | undefined
  message: string | undefined
}

/**
 * The merge for a language other than the source: an edit of an unchanged server text is pushed. Where the server text
 * changed too, or the base is unknown, the server text stays.
 */
export function asFilled(merged: Merge): { merged: Merge; skipped: LeafName[] } {
  const skipped: LeafName[] = []
  const conflicts = merged.conflicts.flatMap(conflict => {
    const leaves = conflict.leaves.filter(leaf => textOf(merged.server, leaf) === undefined)
    skipped.push(
      ...conflict.leaves.filter(leaf => textOf(merged.server, leaf) !== undefined && textOf(merged.local, leaf)),
    )
    return leaves.length === 0 ? [] : [{ ...conflict, leaves }]
  })
  return { merged: { ...merged, conflicts }, skipped }
}

/** Empty without changes. @throws Problem with the position of a key that the server would refuse */
export function outgoingBundlesOf(bundle: ComparedBundle, { prunes }: SendingRules, format: Format): OutgoingBundle[] {
  const { merged, local, file } = bundle
  const removed = prunes ? merged.deleted : []
  if (merged.push.length + removed.length === 0) return []
  const wanted = withLeaves(merged.server, merged.local, [...merged.push, ...removed])
  const resource = parseResource(renderBundle(wanted))
  if (local) placed(local, () => readFragment(resource, { format, language: file.language }))
  return [{ ...bundle, resource, removed }]
}

/** Adds the skipped keys to the changes. A key with a change in another form is not listed as skipped. */
export function withSkipped(bundles: readonly ComparedBundle[], changes: readonly KeyChangeRow[]): KeyChangeRow[] {
  const changed = Map.groupBy(changes, ({ language, namespace }) => `${language}/${namespace}`)
  return bundles.flatMap(bundle => {
    const own = changed.get(bundle.name) ?? []
    if (!bundle.skipped?.length) return own
    const keys = new Set(own.map(({ key }) => key))
    const skipped = rowsOf(bundle, bundle.merged.server, bundle.merged.local, bundle.skipped)
      .filter(({ key }) => !keys.has(key))
      .map((row): KeyChangeRow => ({ ...row, result: 'skipped', reason: 'a text is stored already' }))
    return [...own, ...skipped].sort((a, b) => (a.key < b.key ? -1 : 1))
  })
}

/** The result of each key in a dry run; undefined if the server changed since the comparison. */
export async function trial(
  scope: Scope,
  sent: OutgoingBundle[],
  rules: SendingRules,
): Promise<KeyChangeRow[] | undefined> {
  const rows: KeyChangeRow[] = []
  const isDone = await post(scope, sent, rules, { dryRun: true, details: true }, async (group, answer) => {
    const results = new Map(
      answer.bundles.map(({ language, namespace, details = [] }) => [`${language}/${namespace}`, details]),
    )
    for (const bundle of group) {
      const { local, server, push } = bundle.merged
      const own = new Map(rowsOf(bundle, server, local, [...push, ...bundle.removed]).map(row => [row.key, row]))
      for (const { key, result, reason } of results.get(bundle.name) ?? []) {
        const row = own.get(key)
        if (row) rows.push({ ...row, result, ...(reason !== undefined && { reason }) })
      }
    }
  })
  return isDone ? rows : undefined
}

/** Called with the answer to a request. */
type OnAnswer = (sent: OutgoingBundle[], answer: Of<typeof pushed>) => Promise<void>

/**
 * Sends bundles and notes in one request. If that is too large for the server, the notes go by themselves, and the
 * bundles language by language.
 * @param each called with each answer
 * @returns false if a bundle changed since the comparison
 */
export async function post(
  scope: Scope,
  sent: OutgoingBundle[],
  rules: SendingRules,
  flags: { dryRun: boolean; details?: boolean },
  each: OnAnswer,
  notes: readonly OutgoingNote[] = [],
): Promise<boolean> {
  const { context, api, project } = scope
  if (sent.length === 0) return sendNotes(scope, rules, notes, each).then(() => true)
  const { prunes, message } = rules
  const ask = (group: OutgoingBundle[], notes: readonly OutgoingNote[] = []) =>
    api.ask('POST', projectPath(project, 'push'), pushed, {
      query: { ...flags, prune: prunes, overwrite: replacesTexts(group, rules) },
      body: bodyOf(group, message, notes),
      accept: [200, 412, 413],
    })
  const whole = await ask(sent, notes)
  if (whole.status === 412) return false
  if (whole.status === 200) return each(sent, whole.json).then(() => true)
  if (notes.length > 0) {
    if (!(await post(scope, sent, rules, flags, each))) return false
    return sendNotes(scope, rules, notes, each).then(() => true)
  }
  const languages = [...Map.groupBy(sent, ({ file }) => file.language).values()]
  if (languages.length > 1)
    await context.err('Too much for one request of this server: pushing language by language, a commit each.\n')
  for (const group of languages.length > 1 ? languages : []) {
    const answer = await ask(group)
    if (answer.status === 412) return false
    if (answer.status === 413) throw tooLarge(answer.error, group)
    await each(group, answer.json)
  }
  if (languages.length > 1) return true
  throw tooLarge(whole.error, sent)
}

/** Sends notes in a request of their own, or in halves if that is too large for the server. */
async function sendNotes(
  scope: Scope,
  rules: Pick<SendingRules, 'message'>,
  notes: readonly OutgoingNote[],
  each: OnAnswer,
): Promise<void> {
  if (notes.length === 0) return
  const { status, json, error } = await scope.api.ask('POST', projectPath(scope.project, 'push'), pushed, {
    body: bodyOf([], rules.message, notes),
    accept: [200, 413],
  })
  // Without a change the answer has the revision of another commit.
  if (status === 200) return json.notes === 0 ? undefined : each([], json)
  const half = Math.ceil(notes.length / 2)
  if (notes.length === 1) throw new Problem(error ?? 'A note is too large for this server.', { key: notes[0]![1] })
  await sendNotes(scope, rules, notes.slice(0, half), each)
  await sendNotes(scope, rules, notes.slice(half), each)
}

/** Whether a push changes texts that need `overwrite` on the server. `expected` guards them. */
const replacesTexts = (sent: readonly OutgoingBundle[], { overwrites, sourceLanguage }: SendingRules): boolean =>
  overwrites ||
  sent.some(
    ({ file, merged: { server, push } }) => file.language !== sourceLanguage && push.some(leaf => textOf(server, leaf)),
  )

function bodyOf(sent: OutgoingBundle[], message: string | undefined, outgoing: readonly OutgoingNote[]): object {
  const bundles: Record<string, Record<string, object>> = {}
  for (const { file, resource } of sent) (bundles[file.language] ??= {})[file.namespace] = resource
  const expected = Object.fromEntries(sent.map(({ name, server }) => [name, tagOf(server)]))
  const notes = Object.fromEntries(
    Array.from(
      Map.groupBy(outgoing, ([namespace]) => namespace),
      ([namespace, own]) => [namespace, Object.fromEntries(own.map(([, key, note]) => [key, note]))],
    ),
  )
  return { bundles, expected, ...(message !== undefined && { message }), ...(outgoing.length > 0 && { notes }) }
}

const tooLarge = (error: string | undefined, [first]: OutgoingBundle[]) =>
  new Problem(error ?? 'That is too large for this server.', {
    hint: `All of ${first!.file.language} is too much for one request: push it with --namespace, a few at a time, or raise PUSH_BODY_LIMIT.`,
  })
