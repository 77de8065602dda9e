/** The tools that write. Each answers its revision and how to undo it. */
import { z } from 'zod'
import type { BundleChange } from '../bundle/diff.ts'
import { type ApiCall, ApiRefusal, pathOf } from './api-call.ts'
import { pageOf } from './fit-answer.ts'
import {
  cursor,
  key,
  language,
  namespace,
  project,
  type Tool,
  type ToolAnswer,
  tool,
  undoCall,
  withoutZeros,
} from './tool.ts'

/** Keys that a write without a plan may set. */
const MOST_UNPLANNED = 20
/** Entries of one request, and commits of one undo. */
const MOST_SET = 500
const MOST_REMOVED = 200
const MOST_UNDONE = 100

/** Guards records by names that the caller chooses: zod leaves `__proto__` out of them without a word. */
const withoutProto = <S extends z.ZodType>(schema: S) =>
  z.preprocess((given, { addIssue }) => {
    if (Object.hasOwn(Object(given), '__proto__')) addIssue('must have no member named "__proto__"')
    return given
  }, schema)
const value = withoutProto(
  z.union([z.string(), z.record(z.string(), z.string())], {
    error: 'must be a text, or the forms of a plural by category',
  }),
)
const keyName = z.strictObject({ namespace, key })
const texts = keyName.extend({ texts: withoutProto(z.record(z.string(), value)) })
const renaming = z.strictObject({ namespace, from: z.string(), to: z.string() })
const planned = z.string().optional()
const planAndMessage = { plan: planned, message: z.string().max(200).optional().describe('Subject of the commit.') }

/** What {@link changes} looks like to a model. */
const published = z.strictObject({
  project,
  set: z.array(texts).max(MOST_SET).optional(),
  delete: z.array(keyName).max(MOST_REMOVED).optional(),
  rename: z.array(renaming).max(MOST_REMOVED).optional(),
})
/** Accepts one text and one renaming in the form of the route, too. */
const changes = published.extend({
  set: z
    .array(z.union([texts, keyName.extend({ language, value })]))
    .max(MOST_SET)
    .optional(),
  rename: z.union([published.shape.rename, renaming]),
})
type Changes = z.output<typeof changes>

const plan = tool(
  'plan',
  'reads',
  'What changes would do, key by key, and a plan id for `apply`. Writes nothing. `delete` and `rename` change all languages. Example: {"project":"web","set":[{"namespace":"common","key":"pay","texts":{"en":"Pay","de":"Bezahlen"}},{"namespace":"common","key":"item","texts":{"en":{"one":"{{count}} item","other":"{{count}} items"}}}]}',
  changes.extend({ cursor }),
  (call, { cursor, ...input }) => change(call, input, { dryRun: true, cursor }),
  published.extend({ cursor }),
)

const apply = tool(
  'apply',
  'writes',
  `Writes changes in one commit. With a plan and its changes: exactly these, once. Without: texts of at most ${MOST_UNPLANNED} keys. Example: {"project":"web","set":[{"namespace":"common","key":"pay","texts":{"de":"Bezahlen"}}]}`,
  changes.extend(planAndMessage),
  async (call, { plan, message, ...input }) => {
    const keys = new Set((input.set ?? []).map(({ namespace, key }) => JSON.stringify([namespace, key])))
    const moving = [input.delete ?? [], input.rename ?? []].flat().length
    if (plan === undefined && (moving > 0 || keys.size > MOST_UNPLANNED)) {
      throw new ApiRefusal(400, `Deletions, renames and more than ${MOST_UNPLANNED} keys need a plan: call plan first.`)
    }
    return change(call, input, { plan, message })
  },
  published.extend(planAndMessage),
)

const renameKey = tool(
  'rename_key',
  'writes',
  'Renames a key in all languages. The first call answers a plan; call again with it as `plan`. Example: {"project":"web","namespace":"common","from":"pay","to":"cart.pay"}',
  renaming.extend({ project, plan: planned }),
  (call, { project, plan, ...rename }) => change(call, { project, rename }, { plan, dryRun: plan === undefined }),
)

const deleteKey = tool(
  'delete_key',
  'writes',
  'Deletes a key in all languages. The first call answers a plan; call again with it as `plan`. Example: {"project":"web","namespace":"common","key":"pay"}',
  keyName.extend({ project, plan: planned }),
  (call, { project, plan, ...one }) => change(call, { project, delete: [one] }, { plan, dryRun: plan === undefined }),
)

const undo = tool(
  'undo',
  'writes',
  'Undoes commits, on top of what came since. Example: {"project":"web","revisions":["e4f927de68739af7dd1d2434857fa8223e4aed89"]}',
  z.strictObject({ project, revisions: z.array(z.string()).min(1).max(MOST_UNDONE) }),
  async (call, { project, revisions }) => {
    const { undoneBy, reverted, suggested, skipped, moreSkipped } = await call<
      Record<string, unknown> & { undoneBy: string | null }
    >({
      ...{ method: 'POST', path: pathOf('projects', project, 'revert'), body: { revisions } },
    })
    const undo = undoCall(project, undoneBy === null ? [] : [undoneBy])
    const data = { revision: undoneBy, reverted, suggested, skipped, moreSkipped, undo }
    return { says: undo ? 'Undone.' : 'Nothing was left to undo.', data }
  },
)

/** The answer of the route. */
interface ChangeAnswer {
  plan: string | null
  revision: string | null
  repeated: boolean
  counts: Record<string, number>
  changes: (BundleChange & { result: string; reason?: string })[]
}

interface ChangeOptions {
  dryRun?: boolean
  plan?: string | undefined
  message?: string | undefined
  /** Of the keys of a plan. */
  cursor?: string | undefined
}

async function change(
  call: ApiCall,
  { project, set, ...changes }: Changes,
  { dryRun = false, plan, message, cursor = '0' }: ChangeOptions,
): Promise<ToolAnswer> {
  const texts = set?.flatMap(one => {
    if (!('texts' in one)) return one
    const { texts, ...name } = one
    return Object.entries(texts).map(([language, value]) => ({ ...name, language, value }))
  })
  const answer = await call<ChangeAnswer>({
    ...{ method: 'POST', path: pathOf('projects', project, 'changes'), query: { dryRun, machine: true } },
    body: { set: texts, ...changes, plan, message },
  })
  const { revision, repeated } = answer
  const counts = withoutZeros(answer.counts)
  if (dryRun) {
    const says = answer.plan
      ? 'Nothing is written yet: send the same changes with this plan.'
      : `${counts.refused} refused: correct them and plan again.`
    return { says, data: rowsOf(answer.changes, { plan: answer.plan, counts }, cursor) }
  }
  const data = { revision, repeated, counts, undo: undoCall(project, revision === null ? [] : [revision]) }
  if (repeated) return { says: 'This plan was applied before; nothing was written now.', data }
  return { says: revision === null ? 'Nothing changed.' : 'Written in one commit.', data }
}

/** A page of rows, one for each key, refused ones first. New texts are those of the request. */
function rowsOf(changes: ChangeAnswer['changes'], head: object, cursor: string): Record<string, unknown> {
  const rows = new Map<string, Record<string, unknown>>()
  for (const { language, namespace, key, result, before, after, reason } of changes) {
    const name = JSON.stringify([namespace, key])
    const row = rows.get(name) ?? { namespace, key }
    rows.set(name, row)
    row[result] = [...((row[result] as string[] | undefined) ?? []), language]
    if (reason !== undefined) row.reasons = { ...(row.reasons as object), [language]: reason }
    const isLost = before !== null && result !== 'unchanged' && result !== 'refused'
    if (isLost) row.before = { ...(row.before as object), [language]: before }
    // Forms that the request leaves out stay.
    if (isLost && typeof after === 'object' && after !== null)
      row.after = { ...(row.after as object), [language]: after }
  }
  const order = [...rows.values()].sort((a, b) => Number('refused' in b) - Number('refused' in a))
  const { rows: keys, next } = pageOf(order, head, cursor)
  return { ...head, keys, next }
}

export const WRITE_TOOLS: readonly Tool[] = [plan, apply, renameKey, deleteKey, undo]
