/** Writing bundles: register missing keys, push a namespace, overwrite one key. Each is one transaction, and one commit when something changed. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import { checkKey } from '../bundle/names.ts'
import type { Store } from '../store/store.ts'
import type { SideThread } from '../threads/side-thread.ts'
import { checkShape, readJson } from './body.ts'
import { type BundleParams, checkPlace, MessageShape, ResourceShape } from './bundles.ts'
import { requireCaller } from './caller.ts'
import { entityTag } from './conditional.ts'
import { KeyWrites } from './key-writes.ts'
import { LargeChanges } from './large-changes.ts'
import { ParsedBundles } from './parsed-bundles.ts'
import { Pushes } from './pushes.ts'
import { readFlags } from './query.ts'
import { denied, eitherCredential, failures, language, namespace, slug, writeFailures, writeHeaders } from './shapes.ts'

const count = z.int().min(0)
const Filled = z.object({ added: count, updated: count, skipped: count })
const Pushed = Filled.extend({
  unchanged: count,
  removed: count.optional().describe('With `prune=true`: the keys that went.'),
  dryRun: z.boolean(),
  details: z
    .array(
      z.object({
        key: z.string(),
        result: z.enum(['added', 'updated', 'skipped', 'removed']),
        reason: z.string().optional(),
      }),
    )
    .optional()
    .describe('With `details=true`: what became of each key that was not equal already.'),
})
const NewValue = z.strictObject({ value: z.unknown() })
const NewValueShape = z.strictObject({
  value: z
    .union([z.string(), z.record(z.string(), z.string())])
    .describe('A text, or for a whole plural at its base key its forms by CLDR category.'),
})
const Put = z.object({ key: z.string(), namespace, message: MessageShape })

const flag = z.enum(['true', 'false']).optional()
const writes = { ...denied, ...failures('not-found', 'stale', 'unfit'), ...writeFailures }
const tags = ['Bundles']
const security = eitherCredential
const params = z.object({ slug, language, namespace })
const bundleUrl = '/api/projects/:slug/bundles/:language/:namespace'

/** Adds the routes to a scope behind `identify`. @param limits of bodies, and of what is kept of bundles, in bytes */
export function editRoutes(
  app: FastifyInstance,
  store: Store,
  thread: SideThread,
  limits: { namespaceBody: number; keyBody: number; parsedBundles: number },
): void {
  const kept = new ParsedBundles(limits.parsedBundles)
  const large = new LargeChanges(store, thread)
  const pushes = new Pushes(large, kept, limits.namespaceBody)
  const keyWrites = new KeyWrites(large, kept)

  const register = {
    tags,
    security,
    params,
    summary: 'Register missing keys (saveMissing)',
    description: 'Adds what is absent and fills what is empty; a translation that is there is never overwritten.',
    headers: writeHeaders,
    body: ResourceShape.describe('A fragment of the i18next resource.'),
    response: { 200: Filled.describe('How many keys were added, filled, or left as they were.'), ...writes },
  }
  app.post<{ Params: BundleParams }>(bundleUrl, { schema: register }, async (request, reply) => {
    const place = checkPlace(request.params)
    const caller = requireCaller(request, 'edit')
    readFlags(request, [])
    const rules = { overwrites: () => false, prunes: false, dryRun: false, detailed: false }
    const { id, counts } = await pushes.take({ request, reply, caller, place, ...rules })
    const { added, updated, unchanged, skipped } = counts
    return reply.header('etag', entityTag(id)).send({ added, updated, skipped: unchanged + skipped })
  })

  const push = {
    tags,
    security,
    params,
    summary: 'Push a whole namespace',
    description: 'Into the source language the pushed values overwrite; into any other only what is missing is filled.',
    querystring: z.object({
      dryRun: flag.describe('`true`: the same answer, and nothing is written.'),
      details: flag.describe('`true`: the answer tells what became of each key.'),
      prune: flag.describe('`true`: keys and forms that the body lacks are removed, in any language.'),
    }),
    headers: writeHeaders,
    body: ResourceShape.describe('The i18next resource of the namespace.'),
    response: { 200: Pushed.describe('What changed, in keys; a plural is one key.'), ...writes },
  }
  app.put<{ Params: BundleParams }>(bundleUrl, { schema: push }, async (request, reply) => {
    const place = checkPlace(request.params)
    const caller = requireCaller(request, 'edit')
    const flags = readFlags(request, ['dryRun', 'details', 'prune'])
    const { dryRun, prune: prunes, details: detailed } = flags
    const overwrites = (sourceLanguage: string) => sourceLanguage === place.language
    const done = await pushes.take({ request, reply, caller, place, overwrites, prunes, dryRun, detailed })
    const { added, updated, unchanged, skipped, removed } = done.counts
    const answer = { added, updated, unchanged, skipped, ...(prunes && { removed }), dryRun }
    reply.header('etag', entityTag(done.id))
    if (!Buffer.isBuffer(done.details)) return reply.send({ ...answer, details: done.details })
    // What the thread has written out is not read again to be written.
    const head = JSON.stringify(answer).slice(0, -1)
    const body = Buffer.concat([Buffer.from(`${head},"details":`), done.details, Buffer.from('}')])
    return reply.header('content-type', 'application/json; charset=utf-8').send(body)
  })

  const put = {
    tags,
    security,
    params: params.extend({
      key: z.string().describe('The key, percent-encoded; `item_one` is form `one` of plural `item`.'),
    }),
    summary: 'Overwrite one value or one plural form',
    description: 'A form is merged onto the stored plural; the other forms stay.',
    headers: writeHeaders,
    body: NewValueShape,
    response: { 200: Put.describe('The key and its whole message.'), ...writes },
  }
  app.put<{ Params: BundleParams & { key: string } }>(`${bundleUrl}/:key`, { schema: put }, async (request, reply) => {
    const place = checkPlace(request.params)
    const name = checkKey(request.params.key)
    const caller = requireCaller(request, 'edit')
    readFlags(request, [])
    const body = await readJson(request, limits.keyBody)
    const { value } = checkShape(NewValue, body)
    if (!Object.hasOwn(body as object, 'value'))
      throw new Failure('invalid', 'The body does not fit: "value" is missing.')
    const result = await keyWrites.take({ request, reply, caller, place, dryRun: false, name, value })
    return reply
      .header('etag', entityTag(result.id))
      .send({ key: result.key, namespace: place.namespace, message: result.message })
  })
}
