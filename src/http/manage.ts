/** Taking away and renaming: delete a bundle, a key or a form, rename a key in all languages. Each is one commit; the history keeps what was there. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import { checkKey } from '../bundle/names.ts'
import { bundlePath } from '../bundle/project.ts'
import { removeKey } from '../bundle/remove.ts'
import type { Snapshot, Store } from '../store/store.ts'
import { type BundleParams, checkPlace, MessageShape } from './bundles.ts'
import { requireCaller } from './caller.ts'
import { describe, parsed, save, short } from './changes.ts'
import { checkPreconditions, entityTag } from './conditional.ts'
import { bundleAt, type Place, requireProject } from './layout.ts'
import { readFlags } from './query.ts'
import { denied, eitherCredential, failures, language, namespace, nothing, slug, writeHeaders } from './shapes.ts'

const Remaining = z.object({
  key: z.string(),
  namespace,
  message: MessageShape.nullable().describe('What the key still holds; null when it is gone.'),
})

const tags = ['Bundles']
const security = eitherCredential
const params = z.object({ slug, language, namespace })
const deletion = { ...denied, ...failures('not-found', 'stale', 'unavailable', 'no-space') }
const bundleUrl = '/api/projects/:slug/bundles/:language/:namespace'

/** Adds the routes to a scope behind `identify`. */
export function manageRoutes(app: FastifyInstance, store: Store): void {
  const deleteBundle = {
    tags,
    security,
    params,
    summary: 'Delete a bundle',
    description: 'A language whose last bundle goes is gone with it; the source language always exists.',
    headers: writeHeaders,
    response: { 204: nothing('Deleted.'), ...deletion },
  }
  app.delete<{ Params: BundleParams }>(bundleUrl, { schema: deleteBundle }, async (request, reply) => {
    const place = checkPlace(request.params)
    const caller = requireCaller(request, 'edit')
    readFlags(request, [])
    await store.write(caller.organization, caller, tx => {
      const { present, project } = requireBundle(tx, place)
      checkPreconditions(request.headers, present)
      const removed = parsed(present, project, place.language).size
      tx.remove(bundlePath(place.slug, place.language, place.namespace))
      return { result: undefined, message: describe(place, 'delete the bundle', { removed }) }
    })
    return reply.code(204).send()
  })

  const deleteKey = {
    tags,
    security,
    params: params.extend({
      key: z.string().describe('The key, percent-encoded; `item_one` is form `one` of plural `item`.'),
    }),
    summary: 'Delete a key or one plural form',
    description:
      'A key goes with its text and all its forms. Of an array only the last item can go: the keys of those behind ' +
      'another one would change. A bundle that holds nothing any more goes too.',
    headers: writeHeaders,
    response: { 200: Remaining.describe('What is left of the key.'), ...deletion, ...failures('unfit') },
  }
  app.delete<{ Params: BundleParams & { key: string } }>(
    `${bundleUrl}/:key`,
    { schema: deleteKey },
    async (request, reply) => {
      const place = checkPlace(request.params)
      const name = checkKey(request.params.key)
      const caller = requireCaller(request, 'edit')
      readFlags(request, [])
      const { result } = await store.write(caller.organization, caller, tx => {
        const { present, project } = requireBundle(tx, place)
        checkPreconditions(request.headers, present)
        const removal = removeKey(parsed(present, project, place.language), name)
        if (!removal) throw missingKey(name, place)
        const { bundle, key, message = null } = removal
        const counts = message === null ? { removed: 1 } : { updated: 1 }
        return {
          result: { key, message, id: save(tx, place, { present, bundle, changed: true }) },
          message: describe(place, `delete ${short(name)}`, counts),
        }
      })
      const { id, key, message } = result
      return reply.header('etag', entityTag(id)).send({ key, namespace: place.namespace, message })
    },
  )
}

/** @throws Failure `not-found` when there is no such project or bundle */
function requireBundle(snapshot: Snapshot, place: Place) {
  const project = requireProject(snapshot, place.slug)
  const present = bundleAt(snapshot, place)
  if (present.exists) return { project, present }
  const { slug, language, namespace } = place
  throw new Failure('not-found', `Project "${slug}" has no bundle "${namespace}" in "${language}".`)
}

function missingKey(name: string, { language, namespace }: Place): Failure {
  return new Failure(
    'not-found',
    `The bundle "${namespace}" in "${language}" has no key or form ${JSON.stringify(short(name))}.`,
  )
}
