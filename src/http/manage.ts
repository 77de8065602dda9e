/** Deletes a bundle, a key or a form, and renames a key in all languages: one commit each. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { quoteSome } from '../bundle/complaints.ts'
import { Failure } from '../bundle/errors.ts'
import type { Stored } from '../bundle/made-file.ts'
import { checkKey, checkNamespace, checkSlug, shortKey } from '../bundle/names.ts'
import { bundleAt, languagesOf, missingBundle, missingKey, requireProject } from '../project/layout.ts'
import type { BundleName, Project } from '../project/project.ts'
import type { CommitMessage, Snapshot } from '../store/store.ts'
import { checkShape, readJson } from './body.ts'
import { bundleParams, bundleUrl, checkBundle, MessageShape } from './bundles.ts'
import { requireCaller } from './caller.ts'
import type { Compute, Computing, Part } from './computing.ts'
import { checkPreconditions, entityTag } from './conditional.ts'
import { readFlags } from './query.ts'
import {
  answer,
  component,
  deleting,
  key,
  keyInPath,
  language,
  like,
  namespace,
  revision,
  slug,
  text,
  writeHeaders,
  writing,
} from './shapes.ts'
import { describe, putFile } from './writes.ts'

const Remaining = component('Remaining', {
  key,
  namespace,
  message: like(MessageShape.nullable().describe('What the key still holds; null when it is gone.'), null),
})

const Renaming = z.strictObject({
  namespace,
  from: text('The key; a plural is named by its base and moves with all its forms.', 'nav.home'),
  to: text('The new name, which no language may have yet.', 'nav.start'),
})
const Renamed = Renaming.extend({
  languages: like(z.array(language).describe('Those that had the key.'), ['de', 'en']),
  revision: revision.describe('The full id of the commit that renames it, and can be undone.'),
}).meta({ id: 'Renamed' })

const tags = ['Bundles']
const refused = ['stale', 'unfit', 'too-large'] as const

/** Adds the routes to a scope behind `identify`. @param limits of bodies, in bytes */
export function manageRoutes(app: FastifyInstance, computing: Computing, limits: { keyBody: number }): void {
  const deleteBundle = {
    tags,
    params: bundleParams,
    operationId: 'deleteBundle',
    summary: 'Delete a bundle',
    description: 'A language whose last bundle goes is gone with it; the source language always exists.',
    headers: writeHeaders,
    ...deleting(undefined, ...refused),
  }
  app.delete<{ Params: BundleName }>(bundleUrl, { schema: deleteBundle }, async (request, reply) => {
    const bundle = checkBundle(request.params)
    requireCaller(request, 'edit')
    readFlags(request, [])
    await computing.run({ request, reply }, { permission: 'edit', slug: bundle.slug }, (state, compute) => {
      const { present, part } = requireBundle(state, bundle)
      checkPreconditions(request.headers, present)
      const removed = compute([{ ...part, name: 'count', task: (stored: Stored) => ({ stored }) }])[0]!
      putFile(state, bundle, null, present.id)
      return { result: undefined, message: describe(bundle, 'delete the bundle', { removed }) }
    })
    return reply.code(204).send()
  })

  const deleteKey = {
    tags,
    params: bundleParams.extend({ key: keyInPath }),
    operationId: 'deleteKey',
    summary: 'Delete a key or one plural form',
    description:
      'A key goes with its text and all its forms. Of an array only the last item can go: the keys of those behind ' +
      'another one would change. A bundle that holds nothing any more goes too.',
    headers: writeHeaders,
    ...deleting({ 200: answer(Remaining.describe('What is left of the key.'), 'ETag') }, ...refused),
  }
  app.delete<{ Params: BundleName & { key: string } }>(
    `${bundleUrl}/:key`,
    { schema: deleteKey },
    async (request, reply) => {
      const bundle = checkBundle(request.params)
      const name = checkKey(request.params.key)
      requireCaller(request, 'edit')
      readFlags(request, [])
      const target = { permission: 'edit', slug: bundle.slug } as const
      const removed = await computing.run({ request, reply }, target, (state, compute) => {
        const { present, part } = requireBundle(state, bundle)
        checkPreconditions(request.headers, present)
        const removal = compute([{ ...part, name: 'remove', task: (stored: Stored) => ({ stored, name }) }])[0]!
        if (removal === null) throw missingKey(name, bundle)
        const { key, message, file } = removal
        const counts = message === null ? { removed: 1 } : { updated: 1 }
        return {
          result: { key, message, id: putFile(state, bundle, file, present.id) },
          message: describe(bundle, `delete ${shortKey(name)}`, counts),
        }
      })
      const { id, key, message } = removed
      return reply.header('etag', entityTag(id)).send({ key, namespace: bundle.namespace, message })
    },
  )

  const rename = {
    tags,
    params: z.object({ slug }),
    operationId: 'renameKey',
    summary: 'Rename a key in all languages',
    description: 'A key moves with its text and all its forms, to where a new key of that name would stand.',
    body: Renaming,
    ...writing({ 200: Renamed.describe('What was renamed, and in which languages.') }, 'not-found', 'unfit'),
  }
  app.post<{ Params: { slug: string } }>(
    '/api/projects/:slug/rename-key',
    { schema: rename },
    async (request, reply) => {
      const slug = checkSlug(request.params.slug)
      requireCaller(request, 'edit')
      readFlags(request, [])
      const body = checkShape(Renaming, await readJson(request, limits.keyBody))
      const renaming = {
        namespace: checkNamespace(body.namespace),
        from: checkKey(body.from),
        to: checkKey(body.to),
      }
      const target = { permission: 'edit', slug } as const
      const { result, revision } = await computing.written({ request, reply }, target, function* (state, compute) {
        const renamed = yield* renameEverywhere(state, requireProject(state, slug), renaming, compute)
        for (const { bundle, id, file } of renamed) {
          putFile(state, bundle, file, id)
          yield
        }
        const languages = renamed.map(({ bundle }) => bundle.language)
        const message = describeRename(slug, renaming, languages)
        return { result: languages, message, renamed: { slug, ...renaming } }
      })
      return reply.send({ ...renaming, languages: result, revision })
    },
  )
}

/**
 * The namespace's bundles that hold a key, with it renamed.
 * @throws Failure `not-found` when none holds it, `conflict` when any has the new name
 */
function* renameEverywhere(
  snapshot: Snapshot,
  project: Project,
  { namespace, from, to }: z.infer<typeof Renaming>,
  compute: Compute,
) {
  const parts: Part<'rename'>[] = []
  const task = (stored: Stored) => ({ stored, from, to })
  for (const language of languagesOf(snapshot, project)) {
    const bundle = { slug: project.slug, language, namespace }
    parts.push({ name: 'rename', bundle, id: bundleAt(snapshot, bundle).id, format: project.defaultFormat, task })
    yield
  }
  const bundles = compute(parts).map((renaming, at) => ({ ...renaming, ...parts[at]! }))
  const holding = bundles.filter(({ holds }) => holds)
  if (holding.length === 0) {
    const where = `namespace "${namespace}" of project "${project.slug}"`
    throw new Failure('not-found', `No language has the key ${JSON.stringify(shortKey(from))} in ${where}.`)
  }
  const taken = bundles.filter(({ taken }) => taken).map(({ bundle }) => bundle.language)
  if (taken.length > 0) {
    throw new Failure('conflict', `There is a key ${JSON.stringify(shortKey(to))} already, in ${quoteSome(taken)}.`)
  }
  return holding
}

/** @throws Failure `not-found` without such a project or bundle */
function requireBundle(snapshot: Snapshot, bundle: BundleName) {
  const project = requireProject(snapshot, bundle.slug)
  const present = bundleAt(snapshot, bundle)
  if (present.exists) return { present, part: { bundle, id: present.id, format: project.defaultFormat } }
  throw missingBundle(bundle)
}

/** In each language one key went and one came. */
function describeRename(
  slug: string,
  { namespace, from, to }: z.infer<typeof Renaming>,
  languages: string[],
): CommitMessage {
  const count = String(languages.length)
  return {
    subject: `${slug} ${namespace}: rename ${shortKey(from)} to ${shortKey(to)}`,
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
