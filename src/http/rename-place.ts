/** Renames a namespace or a language of a project, in one commit. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { asBuffer } from '../bundle/file-change.ts'
import { checkLanguage, checkNamespace } from '../bundle/names.ts'
import { idOf } from '../project/layout.ts'
import { type BundleName, namespaceOf } from '../project/project.ts'
import {
  languageMoves,
  moveBundles,
  moveLanguageSidecars,
  moveSidecars,
  namespaceMoves,
  type PlaceRenaming,
  sidecarMoves,
} from '../project/rename-place.ts'
import { renamedReviews } from '../project/review-settings.ts'
import { TaskFile } from '../project/sidecars/task-file.ts'
import { staleFiles } from '../project/stale.ts'
import type { Snapshot } from '../store/store.ts'
import { shownRevision } from './requests/at.ts'
import {
  type Flags,
  flag,
  language,
  like,
  namespace,
  type OfProject,
  projectHeaders,
  revision,
  type Sends,
  writing,
} from './requests/shapes.ts'
import { admitToProject } from './restore.ts'
import type { BundleTask } from './writing/bundle-task.ts'
import { MAX_BYTES, tooMuch } from './writing/change-runner.ts'
import { commitMessage } from './writing/commit-message.ts'
import { unreadTask } from './writing/unread-task.ts'
import { isReviewer, noReviewer } from './writing/within-rights.ts'

const flags = { dryRun: flag.describe('`true`: the same answer, and nothing is written.') }
const committed = {
  revision: revision
    .nullable()
    .describe('The full id of the commit that renames it, and can be undone; null in a dry run.'),
  dryRun: z.boolean(),
}
const newName = 'The new name, which the project may not have yet.'
const NamespaceRenaming = z.strictObject({
  from: like(namespace.describe('The namespace.'), 'common'),
  to: like(namespace.describe(newName), 'shared'),
})
const RenamedNamespace = NamespaceRenaming.extend({
  languages: like(z.array(language).describe('Those that had it.'), ['de', 'en']),
  ...committed,
}).meta({ id: 'RenamedNamespace' })
const LanguageRenaming = z.strictObject({
  from: like(language.describe('The language; not the source language.'), 'pt'),
  to: like(language.describe(newName), 'pt-BR'),
})
const RenamedLanguage = LanguageRenaming.extend({
  namespaces: like(z.array(namespace).describe('Those that it has.'), ['common', 'home']),
  ...committed,
}).meta({ id: 'RenamedLanguage' })

const common = {
  tags: ['Projects'],
  querystring: z.object(flags),
  headers: projectHeaders,
}
const refused = ['not-found', 'stale', 'unfit'] as const

/** Adds the routes to a scope behind `identify`. */
export function renamePlaceRoutes(app: FastifyInstance): void {
  const options = { config: { permission: 'edit' }, bodyLimit: app.limits.keyBody } as const
  const ofNamespace = {
    ...common,
    operationId: 'renameNamespace',
    summary: 'Rename a namespace in all languages',
    description:
      'All its bundles move in one commit, byte for byte. Stale translations stay stale. A new name that the project ' +
      'has, or that differs from another one only in case, is refused.',
    body: NamespaceRenaming,
    ...writing({ 200: RenamedNamespace.describe('The renamed namespace, and its languages.') }, ...refused),
  }
  type RenameNamespace = OfProject & Flags<typeof flags> & Sends<typeof NamespaceRenaming>
  const namespaceUrl = '/api/projects/:slug/rename-namespace'
  app.post<RenameNamespace>(namespaceUrl, { schema: ofNamespace, ...options }, async (request, reply) => {
    const { slug } = request.params
    const { dryRun } = request.query
    const names = { from: checkNamespace(request.body.from), to: checkNamespace(request.body.to) }
    const change = { slug, dryRun }
    const { result: languages, revision } = await app.changes.written(reply, change, function* (state, compute) {
      const project = admitToProject(state, slug, request)
      const moving = yield* namespaceMoves(state, project, names)
      const sidecars = yield* sidecarMoves(state, project, names)
      const bundle = { slug, language: project.sourceLanguage, namespace: names.from }
      const merged = compute(sidecars.waiting.map(paths => mergeTask(state, paths, bundle)))
      const count = counter()
      yield* moveBundles(state, moving, count)
      const files = merged.map(({ file }) => file && asBuffer(file))
      yield* moveSidecars(state, { project, namespace: names.to }, sidecars, files, count)
      const subject = { slug, namespace: names.from, kind: 'rename-namespace', to: names.to } as const
      const message = commitMessage(subject, { slug, namespaces: [names.from, names.to] })
      return { result: moving.moves.map(({ from }) => from.language), message, hasSidecars: true }
    })
    return reply.send({ ...names, languages, revision: dryRun ? null : await shownRevision(request, revision), dryRun })
  })

  const ofLanguage = {
    ...common,
    operationId: 'renameLanguage',
    summary: 'Rename a language',
    description:
      'All its bundles move in one commit, byte for byte. Stale translations stay stale. A new tag that the project ' +
      'has, or that differs from another one only in case, is refused. The source language of a project stays: 400. A ' +
      'language with a review needs the right to review it.',
    body: LanguageRenaming,
    ...writing({ 200: RenamedLanguage.describe('The renamed language, and its namespaces.') }, ...refused),
  }
  type RenameLanguage = OfProject & Flags<typeof flags> & Sends<typeof LanguageRenaming>
  const languageUrl = '/api/projects/:slug/rename-language'
  app.post<RenameLanguage>(languageUrl, { schema: ofLanguage, ...options }, async (request, reply) => {
    const { slug } = request.params
    const { dryRun } = request.query
    const names = { from: checkLanguage(request.body.from), to: checkLanguage(request.body.to) }
    const change = { slug, dryRun }
    const { result: namespaces, revision } = await app.changes.written(reply, change, function* (state, compute, ask) {
      const before = admitToProject(state, slug, request)
      const [caller, renamed] = [ask('edit'), { slug, language: names.from }]
      // The review of a language follows its name, which would end it under the old one.
      if (before.review?.[names.from] && !isReviewer(caller, renamed)) throw noReviewer(caller, renamed)
      const review = renamedReviews(before.review, names)
      const project = { ...before, review }
      const moving = languageMoves(state, project, names)
      const paths = staleFiles(state, slug)
      const files = compute(paths.map(path => staleTask(state, path, { slug, ...names })))
      const count = counter()
      yield* moveBundles(state, moving, count)
      yield* moveLanguageSidecars(state, project, names, count)
      for (const [at, { file }] of files.entries()) {
        if (file === null) state.remove(paths[at]!)
        else if (file) state.put(paths[at]!, asBuffer(file))
        yield
      }
      const subject = { slug, language: names.from, kind: 'rename-language', to: names.to } as const
      const message = commitMessage(subject, { slug, languages: [names.from, names.to] })
      const settings = review !== before.review && { project }
      return { result: moving.moves.map(({ from }) => from.namespace), message, hasSidecars: true, ...settings }
    })
    return reply.send({
      ...names,
      namespaces,
      revision: dryRun ? null : await shownRevision(request, revision),
      dryRun,
    })
  })
}

/** Bounds the bytes of moved files: the server holds all of them until they are durable. */
function counter(): (bytes: number) => void {
  let sum = 0
  return bytes => {
    sum += bytes
    if (sum > MAX_BYTES) throw tooMuch()
  }
}

/** A language renamed in a file of stale entries. */
function staleTask(
  state: Snapshot,
  path: string,
  { slug, from, to }: PlaceRenaming & Pick<BundleName, 'slug'>,
): BundleTask<'renameStaleLanguage'> {
  const namespace = namespaceOf(path.slice(path.lastIndexOf('/') + 1))!
  const bundle = { slug, language: from, namespace }
  const files = { entries: TaskFile.at(path, state), from, to }
  return unreadTask('renameStaleLanguage', bundle, idOf(state, bundle), { files })
}

/** Two files of a sidecar in one. */
function mergeTask(
  state: Snapshot,
  { from, to }: { from: string; to: string },
  bundle: BundleName,
): BundleTask<'mergeEntries'> {
  const files = { path: to, files: [to, from].map(path => TaskFile.at(path, state)) }
  return unreadTask('mergeEntries', bundle, idOf(state, bundle), { files })
}
