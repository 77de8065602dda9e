/** The keys that differ between two states of a project, a page at a time. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { changedBundles, changedLanguages, type ProjectPart } from '../project/changed-files.ts'
import { changedFields, DiffPage, type KeyPosition } from '../project/diff.ts'
import { slices } from '../scheduling/slices.ts'
import type { Comparisons } from '../store/comparisons.ts'
import type { Snapshot } from '../store/store.ts'
import { sendNamed } from './answers/conditional.ts'
import { KeyChangeRow, partIn, partQuery } from './bundles.ts'
import { CountsShape } from './history.ts'
import { resolveCursor, resolveFor, stateAt } from './requests/at.ts'
import { requireCaller } from './requests/caller.ts'
import { inTurns } from './requests/client-gone.ts'
import { cursorOf, readCursor, readLimit, readOnce, readRequired } from './requests/query.ts'
import { component, FieldsShape, next, type OfProject, paged, reading, revision, text } from './requests/shapes.ts'

const LIMIT = { most: 10_000, otherwise: 1_000 }

const side = revision.nullable().describe('The full id of its commit; null is the time before the first one.')
const Diff = component('Diff', {
  from: side,
  to: side,
  project: z
    .object({ before: FieldsShape, after: FieldsShape })
    .optional()
    .describe(
      "The project's own fields when they differ; null where there is no project. Not of a single language or namespace.",
    ),
  changes: z.array(KeyChangeRow),
  counts: CountsShape.describe('Of all pages together.'),
  next,
})

/** Adds the route to a scope behind `identify`. */
export function diffRoutes(app: FastifyInstance, comparisons: Comparisons): void {
  const inTurn = inTurns('diffs')
  const state =
    'a revision (full or abbreviated; `<revision>^` is the one before), the name of a release or tag, or an ISO 8601 time'
  const diff = {
    tags: ['History'],
    operationId: 'getDiff',
    summary: 'The differences between two states of a project, key by key',
    description:
      'By language, namespace and key. A project that exists in one of the states alone is all added or all removed. A key that ' +
      'only moved within its file has not changed. All pages are of the two states that the first one names.',
    querystring: z.object({
      from: text(`The earlier state: ${state}.`, 'v1'),
      to: z.string().optional().describe('The later state, in the same ways; the newest by default.'),
      ...partQuery,
      ...paged(LIMIT, 'changes'),
    }),
    ...reading(Diff.describe('The changes.'), 'not-found', 'unavailable'),
  }
  app.get<OfProject>('/api/projects/:slug/diff', { schema: diff }, async (request, reply) => {
    const scope = partIn(request, request.params.slug)
    const limit = readLimit(request, LIMIT)
    const cursor = readCursor(request, CursorShape)
    const { organization } = requireCaller(request, 'read')
    const { states, exact } = await statesOf(request, scope.slug, cursor)
    const make = async (left: AbortSignal) => {
      const look: Look = use =>
        app.store.read(organization, now => use(stateAt(now, states.from), stateAt(now, states.to)))
      const project = await look((before, after) => changedFields(before, after, scope))
      const page = new DiffPage(limit, cursor?.position)
      await fill(page, scope, look, comparisons.of(organization), left)
      const { changes, counts, next } = page
      const end = next && cursorOf(states.from, states.to, next.language, next.namespace, next.key)
      return { body: { ...states, ...(project && { project }), changes, counts, next: end } }
    }
    return sendNamed(reply, { name: [states, scope, cursor, limit], exact }, () => inTurn(reply, make))
  })
}

/** Reads both states synchronously. Each call may load them again. */
type Look = <T>(use: (before: Snapshot, after: Snapshot) => T) => Promise<T>

/** Compares the bundles that differ, in slices. @throws the reason of `signal` */
async function fill(page: DiffPage, part: ProjectPart, look: Look, comparisons: Comparisons, signal: AbortSignal) {
  const pause = slices()
  for (const language of await look((before, after) => changedLanguages(before, after, part))) {
    for (const bundle of await look((before, after) => changedBundles(before, after, { ...part, language }))) {
      signal.throwIfAborted()
      await pause()
      const known = comparisons.knownCounts(bundle)
      if (known && page.needsCounts(bundle)) page.count(known)
      else {
        const { path } = bundle
        const versions = await look((before, after) => ({
          before: before.read(path) ?? null,
          after: after.read(path) ?? null,
        }))
        page.add(bundle, await comparisons.diff(bundle, { ...versions, ...page.wants(bundle) }, signal))
      }
    }
  }
}

/** Full commit ids; null is before the first one. */
interface States {
  from: string | null
  to: string | null
}

async function statesOf(
  request: FastifyRequest,
  slug: string,
  cursor: Cursor | undefined,
): Promise<{ states: States; exact: boolean }> {
  const to = readOnce(request, 'to')
  const from = readRequired(request, 'from', 'name the earlier state')
  if (cursor) {
    const ids = [cursor.from, cursor.to].filter(id => id !== null)
    await Promise.all(ids.map(id => resolveCursor(request, id)))
    return { states: { from: cursor.from, to: cursor.to }, exact: false }
  }
  const before = await resolveFor(request, from, slug)
  const after = await resolveFor(request, to, slug)
  return { states: { from: before.revision, to: after.revision }, exact: before.exact && after.exact }
}

/** Where a diff continues. It compares the states of the first page, also after later writes. */
interface Cursor extends States {
  position: KeyPosition
}

const Revision = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .nullable()
const CursorShape = z
  .tuple([Revision, Revision, z.string(), z.string(), z.string()])
  .transform(([from, to, language, namespace, key]): Cursor => ({ from, to, position: { language, namespace, key } }))
