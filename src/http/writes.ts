/**
 * Writing a bundle: names, role and body, then in the organization's queue preconditions, policy and file. Each change
 * is one commit.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { parseBody } from '../bundle/body.ts'
import { EMPTY_BUNDLE_ID } from '../bundle/canonical.ts'
import type { CommitAction } from '../bundle/commit-subject.ts'
import { Failure } from '../bundle/errors.ts'
import { asBuffer, type FileChange, type Stored } from '../bundle/file-change.ts'
import type { MergeOutcome } from '../bundle/merge.ts'
import { workOf } from '../bundle/work.ts'
import { refuseTwins } from '../project/case-twins.ts'
import { bundleAt, requireProject } from '../project/layout.ts'
import { type BundleName, bundlePath } from '../project/project.ts'
import type { DivertedBundle } from '../project/sidecars/divert-texts.ts'
import { joinBytes } from '../scheduling/join-bytes.ts'
import type { CommitMessage, Snapshot, Transaction } from '../store/store.ts'
import { checkPreconditions, entityTag } from './answers/conditional.ts'
import { bundleOf, bundleUrl, KeyRow, ResourceShape } from './bundles.ts'
import { readJson, readJsonBytes, unfold } from './requests/body.ts'
import { checkShape } from './requests/check-shape.ts'
import {
  type Answer,
  answer,
  component,
  count,
  type Flags,
  flag,
  key,
  namespace,
  type OfBundle,
  type OfKey,
  writeHeaders,
  writing,
} from './requests/shapes.ts'
import { besideSource } from './writing/beside-source.ts'
import { LARGE } from './writing/change-runner.ts'
import { commitMessage } from './writing/commit-message.ts'

const counts = {
  added: count('Keys that did not exist.', 2),
  updated: count('Keys that existed and had a text or form added, filled or changed.'),
  skipped: count('Keys that were left alone, by policy.'),
}
const suggested = z
  .int()
  .min(0)
  .optional()
  .describe('Keys with texts that wait for a review, in a language that needs one.')
  .meta({ examples: [0] })
const full = z
  .array(z.string())
  .optional()
  .describe('Skipped keys that have 20 suggestions of others: accept or reject some, and send the texts again.')
  .meta({ examples: [[]] })
const Filled = z.object({ ...counts, suggested }).meta({ id: 'Filled' })
/** The counts in the answer to a push. */
export const pushCounts = {
  ...counts,
  unchanged: count('Keys that were equal already.'),
  removed: z.int().min(0).optional().describe('With `prune=true`: the keys that went.'),
  suggested,
  full,
}
/** The result of each key in the answer to a push. */
export const pushDetails = z
  .array(
    z.object({
      key,
      result: z.enum(['added', 'updated', 'skipped', 'removed']),
      reason: z.string().optional(),
    }),
  )
  .optional()
  .describe('With `details=true`: the result of each key that was not equal already.')
const Pushed = component('Pushed', { ...pushCounts, dryRun: z.boolean(), details: pushDetails })
/** The query parameters of a push. */
export const pushFlags = {
  dryRun: flag.describe('`true`: the same answer, and nothing is written.'),
  details: flag.describe('`true`: the answer has the result of each key.'),
  prune: flag.describe('`true`: keys and forms that the body lacks are removed, in any language.'),
  overwrite: flag.describe('`true`: pushed values win in any language; an empty one never clears a text.'),
  keepStale: flag.describe('`true`: a changed translation that is stale stays so, as its source was not looked at.'),
}
const WaitingKey = component('WaitingKey', { key, namespace, suggested: count('Texts that wait for a review.', 1) })
const NewValue = z.strictObject({ value: z.unknown() })
/** The body of a write of one key. */
export const NewValueShape = z
  .strictObject({
    value: z
      .union([z.string(), z.record(z.string(), z.string())])
      .describe('A text, or for a whole plural at its base key its forms by CLDR category.')
      .meta({ examples: ['Startseite'] }),
  })
  .meta({ id: 'NewValue' })

/** A write to a bundle. @param body of the 200, with its description */
const changing = (body: z.ZodType, more: Record<number, Answer> = {}) => ({
  tags: ['Bundles'],
  headers: writeHeaders,
  ...writing({ 200: answer(body, 'ETag'), ...more }, 'not-found', 'stale', 'unfit'),
})

/** Adds the routes to a scope behind `identify`. */
export function writeRoutes(app: FastifyInstance): void {
  const register = {
    operationId: 'registerMissing',
    summary: 'Register missing keys (saveMissing)',
    description:
      'Adds what is absent and fills what is empty; a translation that is there is never overwritten. A token of scope `add` may do this and no other write.',
    body: ResourceShape.describe('A fragment of the i18next resource.'),
    ...changing(Filled.describe('How many keys were added, filled, or left as they were.')),
  }
  const adds = { permission: 'add', readsBody: true } as const
  app.post<OfBundle>(bundleUrl, { schema: register, config: adds }, async (request, reply) => {
    const rules = { overwrites: () => false, prunes: false, dryRun: false, detailed: false }
    const { id, counts } = await pushBody(reply, { bundle: bundleOf(request), ...rules })
    const { added, updated, unchanged, skipped, suggested } = counts
    return reply.header('etag', entityTag(id)).send({ added, updated, skipped: unchanged + skipped, suggested })
  })

  const whole = {
    operationId: 'pushBundle',
    summary: 'Push a whole namespace',
    description:
      'Into the source language, and with `overwrite=true` into any, the pushed values overwrite; else only what is ' +
      'missing is filled.',
    querystring: z.object(pushFlags),
    body: ResourceShape.describe('The i18next resource of the namespace.'),
    ...changing(Pushed.describe('What changed, in keys; a plural is one key.')),
  }
  const edits = { permission: 'edit', readsBody: true } as const
  app.put<OfBundle & Flags<typeof pushFlags>>(bundleUrl, { schema: whole, config: edits }, async (request, reply) => {
    const bundle = bundleOf(request)
    const { dryRun, prune: prunes, details: detailed, overwrite, keepStale: keepsStale } = request.query
    const overwrites = (sourceLanguage: string) => overwrite || sourceLanguage === bundle.language
    const { id, counts, details } = await pushBody(reply, { bundle, overwrites, prunes, dryRun, detailed, keepsStale })
    const { added, updated, unchanged, skipped, removed, suggested, full } = counts
    const summary = { added, updated, unchanged, skipped, ...(prunes && { removed }), suggested, full, dryRun }
    reply.header('etag', entityTag(id))
    if (!details) return reply.send(summary)
    const body = await joinBytes(withDetails(summary, details))
    return reply.header('content-type', 'application/json; charset=utf-8').send(body)
  })

  const put = {
    operationId: 'putKey',
    summary: 'Overwrite one value or one plural form',
    description:
      'A form is merged onto the stored plural; the other forms stay. In a language with a review, the text of an author ' +
      'without the right to review it becomes a suggestion.',
    querystring: z.object({ keepStale: pushFlags.keepStale }),
    body: NewValueShape,
    ...changing(KeyRow.describe('The key and its whole message.'), {
      202: answer(WaitingKey.describe('The text waits for a review. The bundle stays.'), 'ETag'),
    }),
  }
  type PutKey = OfKey & Flags<Pick<typeof pushFlags, 'keepStale'>>
  app.put<PutKey>(`${bundleUrl}/:key`, { schema: put, config: edits }, async (request, reply) => {
    const bundle = bundleOf(request)
    const name = request.params.key
    const { keepStale: keepsStale } = request.query
    const body = await readJson(request, app.limits.keyBody)
    const { value } = checkShape(NewValue, body)
    if (!Object.hasOwn(body as object, 'value'))
      throw new Failure('invalid', 'The body does not fit: "value" is missing.')
    const { result, diverted } = await app.changes.written(reply, bundle, (state, compute) => {
      const { project, present, part } = admit(state, bundle, request)
      const task = (stored: Stored) => ({ stored, name, value })
      const { key, message, before, result, file } = compute([
        besideSource({ ...part, name: 'key', task }, { state, project }),
      ])[0]!
      const counts = { added: result === 'added' ? 1 : 0, updated: result === 'updated' ? 1 : 0 }
      return {
        result: { key, message, id: putFile(state, bundle, file, present.id) },
        message: describe(bundle, { kind: result === 'added' ? 'add' : 'update', key: name }, counts),
        changes: { bundle, keys: Buffer.from(JSON.stringify([{ key, before, after: message }])) },
        keepsStale,
      }
    })
    const { key, message, id } = result
    const { namespace } = bundle
    const [waiting] = diverted
    if (waiting) {
      reply.code(202).header('etag', entityTag(waiting.id))
      return reply.send({ key, namespace, suggested: waiting.suggested })
    }
    return reply.header('etag', entityTag(id)).send({ key, namespace, message })
  })
}

interface Push {
  bundle: BundleName
  /** Whether pushed values win. */
  overwrites: (sourceLanguage: string) => boolean
  prunes: boolean
  dryRun: boolean
  /** Whether to return the result of each key. */
  detailed: boolean
  /** Whether a changed translation stays as stale as it was; false where absent. */
  keepsStale?: boolean
}

/** Pushes the body. @returns the bundle's blob id (in a dry run the present one), counts, details as JSON */
async function pushBody(reply: FastifyReply, asked: Push) {
  const { request } = reply
  const { changes, limits, worker } = request.server
  const { bundle, overwrites, prunes, dryRun, detailed, keepsStale = false } = asked
  const bytes = await readJsonBytes(request, limits.namespaceBody)
  const isLarge = workOf(bytes) >= LARGE
  if (!isLarge) await unfold(request, bytes)
  const body = isLarge ? bytes : parseBody(bytes)
  try {
    const { result, diverted } = await changes.written(reply, { slug: bundle.slug, dryRun }, (state, compute) => {
      const { project, present, part } = admit(state, bundle, request)
      const rules = { language: bundle.language, overwrites: overwrites(project.sourceLanguage), prunes }
      const task = (stored: Stored, inThread: boolean) => ({
        stored,
        body: inThread ? bytes : body,
        rules,
        detailed,
      })
      const variant = String(rules.overwrites)
      const {
        counts,
        file,
        details,
        changes: keys,
      } = compute([
        besideSource({ ...part, name: 'push', variant, extraBytes: () => [bytes], task }, { state, project }),
      ])[0]!
      const written = putFile(state, bundle, file, present.id)
      const id = dryRun ? present.id : written
      return {
        result: { id, counts, details },
        message: describePush(bundle, counts),
        changes: keys && { bundle, keys },
        keepsStale,
      }
    })
    return {
      ...result,
      id: dryRun ? result.id : (diverted[0]?.id ?? result.id),
      counts: withSuggested(result.counts, diverted[0]),
    }
  } catch (error) {
    // A body that is not JSON is refused as that first, as small ones are.
    if (isLarge && error instanceof Failure) await worker.run('read', () => ({ body: bytes }))
    throw error
  }
}

/** Counts of keys in a change. */
interface PushTotals {
  added: number
  updated: number
  skipped?: number
  suggested?: number
  full?: string[]
}

/** Counts of a change without the keys that wait for a review. */
export function withSuggested<C extends PushTotals>(counts: C, waiting: DivertedBundle | undefined): C & PushTotals {
  if (!waiting) return counts
  const { added, updated, suggested = 0 } = counts
  return {
    ...counts,
    ...{ added: Math.max(0, added - waiting.added), updated: Math.max(0, updated - waiting.updated) },
    suggested: suggested + waiting.suggested,
    ...(waiting.full.length > 0 && {
      ...(counts.skipped !== undefined && { skipped: counts.skipped + waiting.full.length }),
      full: [...(counts.full ?? []), ...waiting.full],
    }),
  }
}

/** A write's project and bundle, preconditions checked. @throws Failure `not-found`, `conflict`, `stale` */
function admit(snapshot: Snapshot, bundle: BundleName, request: FastifyRequest) {
  const project = requireProject(snapshot, bundle.slug)
  const present = bundleAt(snapshot, bundle)
  if (!present.exists) refuseTwins(snapshot, project, bundle)
  checkPreconditions(request.headers, present)
  return { project, present, part: { bundle, id: present.id, format: project.defaultFormat } }
}

/** An answer with its details, as JSON: they are that already. */
export const withDetails = (summary: object, details: Uint8Array): Uint8Array[] => [
  Buffer.from(`${JSON.stringify(summary).slice(0, -1)},"details":`),
  details,
  Buffer.from('}'),
]

/** Puts a changed bundle; one without keys loses its file. @param id of what is stored @returns the new one */
export function putFile(tx: Transaction, bundle: BundleName, file: FileChange, id: string): string {
  if (file.kind === 'unchanged') return id
  const path = bundlePath(bundle)
  if (file.kind === 'removed') {
    tx.remove(path)
    return EMPTY_BUNDLE_ID
  }
  tx.put(path, asBuffer(file.bytes), file.id)
  return file.id
}

/** A push's message: its only key, or the counts of added, updated and removed ones. */
export function describePush(
  bundle: BundleName,
  outcome: Pick<MergeOutcome, 'added' | 'updated' | 'removed' | 'details'>,
): CommitMessage {
  const { added, updated, removed } = outcome
  const counts = { added, updated, removed }
  if (added + updated + removed === 1) {
    for (const { key, result } of outcome.details) {
      if (result !== 'skipped') return describe(bundle, { kind: verbs[result], key }, counts)
    }
  }
  return describe(bundle, { kind: 'push', ...counts }, counts)
}

const verbs = { added: 'add', updated: 'update', removed: 'remove' } as const

/** The message of a commit to one bundle, with its counts of keys other than zero. */
export function describe(
  { slug, language, namespace }: BundleName,
  action: CommitAction,
  counts: { added?: number; updated?: number; removed?: number },
): CommitMessage {
  const { added = 0, updated = 0, removed } = counts
  return commitMessage(
    { slug, language, namespace, ...action },
    {
      slug,
      languages: [language],
      namespaces: [namespace],
      counts: { added, updated, removed: removed || undefined },
    },
  )
}
