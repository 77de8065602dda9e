/** Taking away and renaming: delete a bundle, a key or a form, rename a key in all languages. Each is one commit; the history keeps what was there. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { quoteSome } from '../bundle/complaints.ts'
import { Failure } from '../bundle/errors.ts'
import { checkKey, checkNamespace, checkSlug } from '../bundle/names.ts'
import { bundlePath, type Project } from '../bundle/project.ts'
import { removeKey } from '../bundle/remove.ts'
import { renameKey } from '../bundle/rename.ts'
import type { CommitMessage, Snapshot, Store } from '../store/store.ts'
import { checkShape, readJson } from './body.ts'
import { type BundleParams, checkPlace, MessageShape } from './bundles.ts'
import { requireCaller } from './caller.ts'
import { describe, parsed, save, short } from './changes.ts'
import { checkPreconditions, entityTag } from './conditional.ts'
import { bundleAt, languagesOf, missingBundle, type Place, requireProject } from './layout.ts'
import { readFlags } from './query.ts'
import {
  denied,
  eitherCredential,
  failures,
  language,
  namespace,
  nothing,
  slug,
  writeFailures,
  writeHeaders,
} from './shapes.ts'

const Remaining = z.object({
  key: z.string(),
  namespace,
  message: MessageShape.nullable().describe('What the key still holds; null when it is gone.'),
})

const Renaming = z.strictObject({
  namespace,
  from: z.string().describe('The key; a plural is named by its base and moves with all its forms.'),
  to: z.string().describe('The new name, which no language may have yet.'),
})
const Renamed = Renaming.extend({ languages: z.array(language).describe('Those that had the key.') })

const tags = ['Bundles']
const security = eitherCredential
const params = z.object({ slug, language, namespace })
const deletion = { ...denied, ...failures('not-found', 'stale', 'unavailable', 'no-space') }
const bundleUrl = '/api/projects/:slug/bundles/:language/:namespace'

/** Adds the routes to a scope behind `identify`. @param limits of bodies, in bytes */
export function manageRoutes(app: FastifyInstance, store: Store, limits: { keyBody: number }): void {
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
      const removed = parsed(present, project).size
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
        const removal = removeKey(parsed(present, project), name)
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

  const rename = {
    tags,
    security,
    params: z.object({ slug }),
    summary: 'Rename a key in all languages',
    description: 'A key moves with its text and all its forms, to where a new key of that name would stand.',
    body: Renaming,
    response: {
      200: Renamed.describe('What was renamed, and in which languages.'),
      ...denied,
      ...failures('not-found', 'unfit'),
      ...writeFailures,
    },
  }
  app.post<{ Params: { slug: string } }>(
    '/api/projects/:slug/rename-key',
    { schema: rename },
    async (request, reply) => {
      const slug = checkSlug(request.params.slug)
      const caller = requireCaller(request, 'edit')
      readFlags(request, [])
      const body = checkShape(Renaming, await readJson(request, limits.keyBody))
      const renaming = {
        namespace: checkNamespace(body.namespace),
        from: checkKey(body.from),
        to: checkKey(body.to),
      }
      const { result: languages } = await store.write(caller.organization, caller, tx => {
        const renamed = renameEverywhere(tx, requireProject(tx, slug), renaming)
        for (const change of renamed) save(tx, change.place, change)
        const languages = renamed.map(({ place }) => place.language)
        return { result: languages, message: describeRename(slug, renaming, languages) }
      })
      return reply.send({ ...renaming, languages })
    },
  )
}

/**
 * The bundles of a namespace that hold a key, with the key renamed.
 * @throws Failure `not-found` when none holds it, `conflict` when any, whether it holds that or not, has the new name
 */
function renameEverywhere(snapshot: Snapshot, project: Project, { namespace, from, to }: z.infer<typeof Renaming>) {
  const bundles = languagesOf(snapshot, project).map(language => {
    const place = { slug: project.slug, language, namespace }
    const present = bundleAt(snapshot, place)
    return { place, present, bundle: parsed(present, project) }
  })
  const holding = bundles.filter(({ bundle }) => bundle.message(from) !== undefined)
  if (holding.length === 0) {
    const where = `namespace "${namespace}" of project "${project.slug}"`
    throw new Failure('not-found', `No language has the key ${JSON.stringify(short(from))} in ${where}.`)
  }
  const taken = bundles.filter(({ bundle }) => bundle.message(to) !== undefined).map(({ place }) => place.language)
  if (taken.length > 0) {
    throw new Failure('conflict', `There is a key ${JSON.stringify(short(to))} already, in ${quoteSome(taken)}.`)
  }
  return holding.map(({ place, present, bundle }) => ({
    place,
    present,
    bundle: renameKey(bundle, from, to)!,
    changed: true,
  }))
}

/** @throws Failure `not-found` when there is no such project or bundle */
function requireBundle(snapshot: Snapshot, place: Place) {
  const project = requireProject(snapshot, place.slug)
  const present = bundleAt(snapshot, place)
  if (present.exists) return { project, present }
  throw missingBundle(place)
}

function missingKey(name: string, { language, namespace }: Place): Failure {
  return new Failure(
    'not-found',
    `The bundle "${namespace}" in "${language}" has no key or form ${JSON.stringify(short(name))}.`,
  )
}

/** In each language one key went and one came. */
function describeRename(
  slug: string,
  { namespace, from, to }: z.infer<typeof Renaming>,
  languages: string[],
): CommitMessage {
  const count = String(languages.length)
  return {
    subject: `${slug} ${namespace}: rename ${short(from)} to ${short(to)}`,
    trailers: [
      ['Parlance-Project', slug],
      ...languages.map((language): [string, string] => ['Parlance-Language', language]),
      ['Parlance-Namespace', namespace],
      ['Parlance-Added', count],
      ['Parlance-Updated', '0'],
      ['Parlance-Removed', count],
    ],
  }
}
