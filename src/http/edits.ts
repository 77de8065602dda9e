/** Writing bundles: register missing keys, push a namespace, overwrite one key. Each is one transaction, and one commit when something changed. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import { fill, type Outcome, overwrite, prune, putKey } from '../bundle/merge.ts'
import { checkKey } from '../bundle/names.ts'
import { type Bundle, type Fragment, readFragment } from '../bundle/resource.ts'
import type { Snapshot, Store } from '../store/store.ts'
import { checkShape, readJson, readResource } from './body.ts'
import { type BundleParams, checkPlace, MessageShape, ResourceShape } from './bundles.ts'
import { requireCaller } from './caller.ts'
import { describe, describePush, open, save, short } from './changes.ts'
import { entityTag } from './conditional.ts'
import type { Place } from './layout.ts'
import { ParsedBundles } from './parsed-bundles.ts'
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
  limits: { namespaceBody: number; keyBody: number; parsedBundles: number },
): void {
  const kept = new ParsedBundles(limits.parsedBundles)

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
    const body = await readResource(request, limits.namespaceBody)
    const { result } = await store.write(caller.organization, caller, tx => {
      const change = merge(tx, { place, request, body, kept }, () => fill)
      return { result: { ...change, id: save(tx, place, change, kept) }, message: describePush(place, change.outcome) }
    })
    const { added, updated, unchanged, skipped } = result.outcome
    return reply.header('etag', entityTag(result.id)).send({ added, updated, skipped: unchanged + skipped })
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
    const body = await readResource(request, limits.namespaceBody)
    const pushInto = (snapshot: Snapshot) => {
      const change = merge(snapshot, { place, request, body, kept }, source => {
        const policy = source === place.language ? overwrite : fill
        return flags.prune ? (bundle, fragment) => prune(bundle, fragment, policy) : policy
      })
      // Now, for the bundle is the next write's.
      return { ...change, details: flags.details ? change.outcome.details : undefined }
    }
    const { id, outcome, details } = flags.dryRun
      ? await store.read(caller.organization, pushInto)
      : await store
          .write(caller.organization, caller, tx => {
            const change = pushInto(tx)
            return {
              result: { ...change, id: save(tx, place, change, kept) },
              message: describePush(place, change.outcome),
            }
          })
          .then(({ result }) => result)
    const { added, updated, unchanged, skipped, removed } = outcome
    return reply.header('etag', entityTag(id)).send({
      added,
      updated,
      unchanged,
      skipped,
      ...(flags.prune && { removed }),
      dryRun: flags.dryRun,
      details,
    })
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
    const { result } = await store.write(caller.organization, caller, tx => {
      const { present, bundle } = open(tx, place, request, kept)
      const { result, ...change } = putKey(bundle, name, value)
      const id = save(tx, place, { present, bundle: change.bundle, changed: result !== 'unchanged' }, kept)
      const counts = { added: result === 'added' ? 1 : 0, updated: result === 'updated' ? 1 : 0 }
      return {
        result: { ...change, id },
        message: describe(place, `${result === 'added' ? 'add' : 'update'} ${short(name)}`, counts),
      }
    })
    return reply
      .header('etag', entityTag(result.id))
      .send({ key: result.key, namespace: place.namespace, message: result.message })
  })
}

type Policy = (bundle: Bundle, fragment: Fragment) => Outcome

/** A resource that came, and where to. */
interface Arrived {
  place: Place
  request: FastifyRequest
  body: Awaited<ReturnType<typeof readResource>>
  kept: ParsedBundles
}

/** What a pushed resource makes of a bundle; nothing is written yet. `id` is the present one. */
function merge(
  snapshot: Snapshot,
  { place, request, body, kept }: Arrived,
  policyFor: (sourceLanguage: string) => Policy,
) {
  const { project, present, bundle } = open(snapshot, place, request, kept)
  const { resource, escapes } = body
  const fragment = readFragment(resource, { format: project.defaultFormat, language: place.language, escapes })
  const outcome = policyFor(project.sourceLanguage)(bundle, fragment)
  return { present, bundle: outcome.bundle, outcome, changed: outcome.bundle !== bundle, id: present.id }
}
