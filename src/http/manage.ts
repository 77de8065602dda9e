/** Deletes a bundle, a language, a key or a form, and renames or deletes a key in all languages: one commit each. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import type { FileChange, Stored } from '../bundle/file-change.ts'
import { checkKey, checkNamespace, shortKey } from '../bundle/names.ts'
import {
  bundleAt,
  languagesOf,
  missingBundle,
  missingKey,
  namespacesOf,
  requireLanguage,
  requireProject,
} from '../project/layout.ts'
import { type BundleName, bundlePath, type Project } from '../project/project.ts'
import type { Snapshot, Transaction } from '../store/store.ts'
import type { TaskName } from '../worker/tasks.ts'
import { checkPreconditions, entityTag } from './answers/conditional.ts'
import { applyChanges } from './apply-changes.ts'
import { bundleOf, bundleUrl, languageUrl, MessageShape } from './bundles.ts'
import { shownRevision } from './requests/at.ts'
import {
  answer,
  component,
  deleting,
  key,
  language,
  languageHeaders,
  like,
  namespace,
  type OfBundle,
  type OfKey,
  type OfLanguage,
  type OfProject,
  projectHeaders,
  revision,
  type Sends,
  text,
  writeHeaders,
  writing,
} from './requests/shapes.ts'
import { admitToProject, presentOf } from './restore.ts'
import { describe, putFile } from './writes.ts'
import type { BundleTask } from './writing/bundle-task.ts'
import { commitMessage } from './writing/commit-message.ts'
import { requestedChanges } from './writing/requested-changes.ts'

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

const Deleting = z.strictObject({
  namespace,
  key: text('The key, which goes with all its forms; or the name of one form.', 'nav.home'),
})
const Deleted = Deleting.extend({
  languages: like(z.array(language).describe('Those that had it.'), ['de', 'en']),
  revision: revision.describe('The full id of the commit that deletes it, and can be undone.'),
}).meta({ id: 'Deleted' })

const tags = ['Bundles']
const refused = ['stale', 'unfit', 'too-large'] as const

/** Adds the routes to a scope behind `identify`. */
export function manageRoutes(app: FastifyInstance): void {
  const deleteBundle = {
    tags,
    operationId: 'deleteBundle',
    summary: 'Delete a bundle',
    description: 'A language disappears with its last bundle. The source language always exists.',
    headers: writeHeaders,
    ...deleting(undefined, ...refused),
  }
  const config = { permission: 'edit' } as const
  app.delete<OfBundle>(bundleUrl, { schema: deleteBundle, config }, async (request, reply) => {
    const bundle = bundleOf(request)
    await app.changes.run(reply, bundle, (state, compute) => {
      const { present, part } = requireBundle(state, bundle)
      checkPreconditions(request.headers, present)
      const removed = compute([{ ...part, name: 'count', task: (stored: Stored) => ({ stored }) }])[0]!
      putFile(state, bundle, { kind: 'removed' }, present.id)
      return { result: undefined, message: describe(bundle, { kind: 'delete-bundle' }, { removed }) }
    })
    return reply.code(204).send()
  })

  const deleteLanguage = {
    tags,
    operationId: 'deleteLanguage',
    summary: 'Delete a language',
    description:
      'All bundles of a language, in one commit; a restore of the language brings them back. The source language stays, ' +
      'without texts.',
    headers: languageHeaders,
    ...deleting(undefined, 'stale', 'unfit'),
  }
  app.delete<OfLanguage>(languageUrl, { schema: deleteLanguage, config }, async (request, reply) => {
    const { slug, language } = request.params
    await app.changes.run(reply, { slug }, function* (state) {
      const project = requireProject(state, slug)
      const namespaces = namespacesOf(state, slug, language)
      if (namespaces.length === 0) requireLanguage(state, project, language)
      checkPreconditions(request.headers, presentOf(state, { slug, language }), 'language')
      for (const namespace of namespaces) {
        state.remove(bundlePath({ slug, language: language, namespace }))
        yield
      }
      const message = commitMessage({ slug, language, kind: 'delete-language' }, { slug, languages: [language] })
      return { result: undefined, message }
    })
    return reply.code(204).send()
  })

  const deleteKey = {
    tags,
    operationId: 'deleteKey',
    summary: 'Delete a key or one plural form',
    description:
      'A key goes with its text and all its forms. Of an array only the last item can go: the keys of those behind ' +
      'another one would change. A bundle that holds nothing any more goes too.',
    headers: writeHeaders,
    ...deleting({ 200: answer(Remaining.describe('What is left of the key.'), 'ETag') }, ...refused),
  }
  app.delete<OfKey>(`${bundleUrl}/:key`, { schema: deleteKey, config }, async (request, reply) => {
    const bundle = bundleOf(request)
    const name = request.params.key
    const removed = await app.changes.run(reply, bundle, (state, compute) => {
      const { present, part } = requireBundle(state, bundle)
      checkPreconditions(request.headers, present)
      const removal = compute([{ ...part, name: 'remove', task: (stored: Stored) => ({ stored, name }) }])[0]!
      if (removal === null) throw missingKey(name, bundle)
      const { key, message, file } = removal
      const counts = message === null ? { removed: 1 } : { updated: 1 }
      return {
        result: { key, message, id: putFile(state, bundle, file, present.id) },
        message: describe(bundle, { kind: 'delete', key: name }, counts),
      }
    })
    const { id, key, message } = removed
    return reply.header('etag', entityTag(id)).send({ key, namespace: bundle.namespace, message })
  })

  const rename = {
    tags,
    operationId: 'renameKey',
    summary: 'Rename a key in all languages',
    description: 'A key moves with its text and all its forms, to where a new key of that name would stand.',
    headers: projectHeaders,
    body: Renaming,
    ...writing({ 200: Renamed.describe('The renamed keys, and their languages.') }, 'not-found', 'stale', 'unfit'),
  }
  const options = { config, bodyLimit: app.limits.keyBody }
  type Rename = OfProject & Sends<typeof Renaming>
  app.post<Rename>('/api/projects/:slug/rename-key', { schema: rename, ...options }, async (request, reply) => {
    const { slug } = request.params
    const asked = requestedChanges({ rename: request.body })
    const { result, revision } = await app.changes.written(reply, { slug }, function* (state, compute, ask) {
      const context = { state, compute, project: admitToProject(state, slug, request), caller: ask('edit') }
      const { rows, ...change } = yield* applyChanges(context, asked)
      return { result: rows.map(({ language }) => language), ...change }
    })
    return reply.send({ ...request.body, languages: result, revision: await shownRevision(request, revision) })
  })

  const remove = {
    tags,
    operationId: 'deleteKeyEverywhere',
    summary: 'Delete a key in all languages',
    description: 'As the deletion of a key in each language that has it, in one commit; all or nothing.',
    headers: projectHeaders,
    body: Deleting,
    ...writing({ 200: Deleted.describe('The deleted keys, and their languages.') }, 'not-found', 'stale', 'unfit'),
  }
  type Delete = OfProject & Sends<typeof Deleting>
  app.post<Delete>('/api/projects/:slug/delete-key', { schema: remove, ...options }, async (request, reply) => {
    const { slug } = request.params
    const [namespace, key] = [checkNamespace(request.body.namespace), checkKey(request.body.key)]
    const { result, revision } = await app.changes.written(reply, { slug }, function* (state, compute) {
      const task = (stored: Stored) => ({ stored, name: key })
      const project = admitToProject(state, slug, request)
      const parts = yield* partsIn(state, project, namespace, { name: 'remove' as const, task })
      const removals = compute(parts)
      const put = yield* putEverywhere(state, parts, removals, { slug, namespace, key })
      // Of a form that goes, its key may stay: its sidecars follow the source.
      const isWhole = removals.some(one => one?.key === key)
      return { ...put, ...(isWhole && { deleted: [{ slug, namespace, key }] }) }
    })
    return reply.send({ namespace, key, languages: result, revision: await shownRevision(request, revision) })
  })
}

/** A task for each language's bundle of a namespace. */
function* partsIn<N extends TaskName>(
  snapshot: Snapshot,
  project: Project,
  namespace: string,
  { name, task }: Pick<BundleTask<N>, 'name' | 'task'>,
) {
  const parts: BundleTask<N>[] = []
  for (const language of languagesOf(snapshot, project)) {
    const bundle = { slug: project.slug, language, namespace }
    parts.push({ name, bundle, id: bundleAt(snapshot, bundle).id, format: project.defaultFormat, task })
    yield
  }
  return parts
}

/**
 * Puts the bundles that hold a key with what becomes of them.
 * @param changes null for a bundle without the key
 * @throws Failure `not-found` when none holds it
 */
function* putEverywhere(
  tx: Transaction,
  parts: readonly BundleTask[],
  changes: readonly ({ file: FileChange } | null)[],
  { slug, namespace, key }: Omit<BundleName, 'language'> & { key: string },
) {
  const languages: string[] = []
  for (const [at, change] of changes.entries()) {
    if (change === null) continue
    const { bundle, id } = parts[at]!
    putFile(tx, bundle, change.file, id)
    languages.push(bundle.language)
    yield
  }
  if (languages.length === 0) {
    const where = `in namespace "${namespace}" of project "${slug}"`
    throw new Failure('not-found', `No language has the key ${JSON.stringify(shortKey(key))} ${where}.`)
  }
  const counts = { added: 0, updated: 0, removed: languages.length }
  const message = commitMessage(
    { slug, namespace, kind: 'delete', key },
    { slug, languages, namespaces: [namespace], counts },
  )
  return { result: languages, message }
}

/** @throws Failure `not-found` without such a project or bundle */
function requireBundle(snapshot: Snapshot, bundle: BundleName) {
  const project = requireProject(snapshot, bundle.slug)
  const present = bundleAt(snapshot, bundle)
  if (present.exists) return { present, part: { bundle, id: present.id, format: project.defaultFormat } }
  throw missingBundle(bundle)
}
