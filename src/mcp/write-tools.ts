/** The tools that write. Each answers its revision and how to undo it. */
import { z } from 'zod'
import { type ApiCall, ApiRefusal, pathOf } from './api-call.ts'
import { fits } from './fit-answer.ts'
import { key, language, namespace, project, type Tool, type ToolAnswer, tool, withoutZeros } from './tool.ts'

/** Keys that a write without a plan may set. */
const MOST_UNPLANNED = 20
/** Entries of one request, and commits of one undo. */
const MOST_SET = 500
const MOST_REMOVED = 200
const MOST_UNDONE = 100

const value = z.union([z.string(), z.record(z.string(), z.string())], {
  error: 'must be a text, or the forms of a plural by category',
})
const texts = z.record(z.string(), value)
const rename = z.strictObject({ namespace, from: z.string(), to: z.string() })
const planned = z.string().optional()
const planAndMessage = { plan: planned, message: z.string().max(200).optional().describe('Subject of the commit.') }

/** What {@link changes} looks like to a model. */
const published = {
  project,
  set: z.array(z.object({ namespace, key, texts })).max(MOST_SET).optional(),
  delete: z.array(z.object({ namespace, key })).max(MOST_REMOVED).optional(),
  rename: z.array(rename).max(MOST_REMOVED).optional(),
}

/** zod leaves `__proto__` out of a record without a word. */
function withoutProto<S extends z.ZodType>(schema: S) {
  const hasProto = (value: unknown) => typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')
  return z
    .unknown()
    .refine(value => !hasProto(value), 'must have no member named "__proto__"')
    .pipe(schema)
}

/** Beside texts by language, the form of the route is accepted: one text. */
const entry = z.strictObject({
  ...{ namespace, key, texts: withoutProto(z.record(z.string(), withoutProto(value))).optional() },
  ...{ language: language.optional(), value: withoutProto(value).optional() },
})
/** The route checks the rest. */
const changes = z.strictObject({
  project,
  set: z.array(entry).max(MOST_SET).optional(),
  delete: z.unknown().optional(),
  rename: z.unknown().optional(),
})
type Changes = Partial<z.output<typeof changes>> & { project: string }

const plan = tool(
  'plan',
  'reads',
  'What changes would do, key by key, and a plan id for `apply`. Writes nothing. `delete` and `rename` change all languages. Example: {"project":"web","set":[{"namespace":"common","key":"pay","texts":{"en":"Pay","de":"Bezahlen"}},{"namespace":"common","key":"item","texts":{"en":{"one":"{{count}} item","other":"{{count}} items"}}}]}',
  changes,
  async (call, input) => {
    const answer = await change(call, input, { dryRun: true })
    const says = answer.plan
      ? 'Send the same changes to apply with this plan.'
      : `${answer.counts.refused} refused: correct them and plan again.`
    return { says, data: withRows(answer) }
  },
  z.object(published),
)

const apply = tool(
  'apply',
  'writes',
  `Writes changes in one commit. With a plan and its changes: exactly these, once. Without: texts of at most ${MOST_UNPLANNED} keys. Example: {"project":"web","set":[{"namespace":"common","key":"pay","texts":{"de":"Bezahlen"}}]}`,
  changes.extend(planAndMessage),
  async (call, { plan, message, ...input }) => {
    const keys = new Set((input.set ?? []).map(({ namespace, key }) => JSON.stringify([namespace, key])))
    if (plan === undefined && (input.delete || input.rename || keys.size > MOST_UNPLANNED)) {
      throw new ApiRefusal(400, `Deletions, renames and more than ${MOST_UNPLANNED} keys need a plan: call plan first.`)
    }
    return written(input.project, await change(call, input, { plan, message }))
  },
  z.object({ ...published, ...planAndMessage }),
)

const renameKey = tool(
  'rename_key',
  'writes',
  'Renames a key in all languages. The first call answers a plan; call again with it as `plan`. Example: {"project":"web","namespace":"common","from":"pay","to":"cart.pay"}',
  z.strictObject({ project, ...rename.shape, plan: planned }),
  (call, { project, plan, ...rename }) => planThenWrite(call, { project, rename }, plan),
)

const deleteKey = tool(
  'delete_key',
  'writes',
  'Deletes a key in all languages. The first call answers a plan; call again with it as `plan`. Example: {"project":"web","namespace":"common","key":"pay"}',
  z.strictObject({ project, namespace, key, plan: planned }),
  (call, { project, plan, ...one }) => planThenWrite(call, { project, delete: [one] }, plan),
)

const undo = tool(
  'undo',
  'writes',
  'Undoes commits, on top of what came since. Example: {"project":"web","revisions":["e4f927de68739af7dd1d2434857fa8223e4aed89"]}',
  z.strictObject({ project, revisions: z.array(z.string()).min(1).max(MOST_UNDONE) }),
  async (call, { project, revisions }) => {
    const body = revisions.length === 1 ? { revision: revisions[0] } : { revisions }
    const { undoneBy, reverted, suggested, skipped, moreSkipped } = await call({
      ...{ method: 'POST', path: pathOf('projects', project, 'revert'), body },
    })
    const data = { revision: undoneBy, reverted, suggested, skipped, moreSkipped, undo: undoOf(project, undoneBy) }
    return { says: undoneBy === null ? 'Nothing was left to undo.' : 'Undone.', data }
  },
)

type Result = 'added' | 'updated' | 'unchanged' | 'removed' | 'renamed' | 'suggested' | 'refused'

/** The answer of the route. */
interface ChangeAnswer {
  plan: string | null
  revision: string | null
  repeated: boolean
  counts: Record<Result, number>
  changes: {
    language: string
    namespace: string
    key: string
    result: Result
    before: unknown
    after: unknown
    reason?: string
  }[]
}

interface ChangeOptions {
  dryRun?: boolean
  plan?: string | undefined
  message?: string | undefined
}

async function change(call: ApiCall, input: Changes, options: ChangeOptions): Promise<ChangeAnswer> {
  const { project, set, ...changes } = input
  const { dryRun = false, plan, message } = options
  const path = pathOf('projects', project, 'changes')
  const body = { set: set?.flatMap(textsOf), ...changes, plan, message }
  return (await call({ method: 'POST', path, query: { dryRun, machine: true }, body })) as unknown as ChangeAnswer
}

/** @throws ApiRefusal for an entry of neither form */
function textsOf({ texts, language, value, ...name }: z.output<typeof entry>) {
  if (texts && language === undefined && value === undefined)
    return Object.entries(texts).map(([language, value]) => ({ language, ...name, value }))
  if (!texts && language !== undefined && value !== undefined) return [{ language, ...name, value }]
  throw new ApiRefusal(400, 'Each entry of "set" needs `namespace`, `key`, and `texts` by language.')
}

async function planThenWrite(call: ApiCall, input: Changes, plan: string | undefined): Promise<ToolAnswer> {
  if (plan !== undefined) return written(input.project, await change(call, input, { plan }))
  const answer = await change(call, input, { dryRun: true })
  return { says: 'Nothing is written yet: call again with this plan.', data: withRows(answer) }
}

function written(project: string, { revision, repeated, counts }: ChangeAnswer): ToolAnswer {
  const data = { revision, repeated, counts: withoutZeros(counts), undo: undoOf(project, revision) }
  if (repeated) return { says: 'This plan was applied before; nothing was written now.', data }
  return { says: revision === null ? 'Nothing changed.' : 'Written in one commit.', data }
}

const undoOf = (project: string, revision: unknown) =>
  typeof revision === 'string' ? { tool: 'undo', arguments: { project, revisions: [revision] } } : null

/** One row for each key, refused ones first, as many as fit. New texts are those of the request. */
function withRows({ plan, counts, changes }: ChangeAnswer): Record<string, unknown> {
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
  const head = { plan, counts: withoutZeros(counts) }
  const shown: unknown[] = []
  for (const row of order) {
    if (!fits({ ...head, keys: [...shown, row], more: order.length })) break
    shown.push(row)
  }
  return { ...head, keys: shown, ...(shown.length < order.length && { more: order.length - shown.length }) }
}

export const WRITE_TOOLS: readonly Tool[] = [plan, apply, renameKey, deleteKey, undo]
