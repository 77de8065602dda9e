/** Confirms translations of changed sources: they still stand. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { CommitAction } from '../bundle/commit-subject.ts'
import { asBuffer } from '../bundle/file-change.ts'
import { expectedOf } from '../bundle/many-push.ts'
import { peel } from '../bundle/message.ts'
import { checkKey, checkLanguage, checkNamespace } from '../bundle/names.ts'
import { hasBundle, idOf, missingBundle, refuseSource, requireProject } from '../project/layout.ts'
import type { BundleName } from '../project/project.ts'
import { TaskFile } from '../project/sidecars/task-file.ts'
import { stalePath } from '../project/stale.ts'
import type { Snapshot } from '../store/store.ts'
import { ExpectedShape, ManyStale, refuseConditions, refuseStale } from './push.ts'
import { shownRevision } from './requests/at.ts'
import {
  component,
  count,
  language,
  like,
  namespace,
  type OfProject,
  revision,
  type Sends,
  writing,
} from './requests/shapes.ts'
import { describe } from './writes.ts'
import type { BundleTask } from './writing/bundle-task.ts'
import { unreadTask } from './writing/unread-task.ts'

const MOST_KEYS = 10_000

const Confirming = z.strictObject({
  language,
  namespace,
  keys: like(z.array(z.string()).min(1).max(MOST_KEYS).describe('The keys; a plural is named by its base.'), [
    'nav.home',
  ]),
  expected: ExpectedShape,
})
const Confirmed = component('Confirmed', {
  revision: revision.nullable().describe('The full id of the commit; where nothing was stale, of the newest one.'),
  confirmed: count('Keys that were stale and no longer are.', 1),
  skipped: like(z.array(z.object({ key: z.string(), reason: z.string() })), []).describe(
    'Keys that were not stale, and why.',
  ),
})

/** Adds the route to a scope behind `identify`. */
export function confirmRoutes(app: FastifyInstance): void {
  const confirm = {
    tags: ['Bundles'],
    operationId: 'confirmKeys',
    summary: 'Confirm that stale translations are still right',
    description:
      'A translation is stale when its source changed after it was written. This confirms stale translations in one ' +
      'commit. With `expected`, only while the source is the one that the reviewer read.',
    body: Confirming,
    ...writing(
      {
        200: Confirmed.describe('What is no longer stale.'),
        412: { description: 'Bundles are not as `expected` says; nothing was written.', body: ManyStale },
      },
      'not-found',
    ),
  }
  type Confirm = OfProject & Sends<typeof Confirming>
  const options = { config: { permission: 'edit' }, bodyLimit: app.limits.keyBody } as const
  app.post<Confirm>('/api/projects/:slug/confirm', { schema: confirm, ...options }, async (request, reply) => {
    refuseConditions(request)
    const { slug } = request.params
    const { body } = request
    const bundle = { slug, language: checkLanguage(body.language), namespace: checkNamespace(body.namespace) }
    const keys = [...new Set(body.keys.map(key => peel(checkKey(key)).key))]
    const expected = Object.entries(body.expected ?? {}).map(([name, tag]) => expectedOf(name, tag))
    const { result, revision } = await app.changes.written(reply, { slug }, (state, compute) => {
      const project = requireProject(state, slug)
      refuseStale(state, slug, expected)
      refuseSource(project, bundle.language, 'only translations can be stale')
      if (!hasBundle(state, bundle)) throw missingBundle(bundle)
      const { stale, file } = compute([confirmation(state, bundle, keys)])[0]!
      const path = stalePath(slug, bundle.namespace)
      if (file) state.put(path, asBuffer(file))
      else if (stale.length > 0) state.remove(path)
      const action: CommitAction =
        stale.length === 1 ? { kind: 'confirm', key: stale[0]! } : { kind: 'confirm-keys', count: stale.length }
      return { result: stale, message: describe(bundle, action, {}) }
    })
    const confirmed = new Set(result)
    const skipped = keys.filter(key => !confirmed.has(key)).map(key => ({ key, reason: 'It is not stale.' }))
    return reply.send({ revision: await shownRevision(request, revision), confirmed: confirmed.size, skipped })
  })
}

/** What becomes of the stale entries of a bundle's keys; the worker computes it where there are many. */
function confirmation(state: Snapshot, bundle: BundleName, keys: string[]): BundleTask<'confirmStale'> {
  const { language, namespace, slug } = bundle
  const entries = TaskFile.at(stalePath(slug, namespace), state)
  return unreadTask('confirmStale', bundle, idOf(state, bundle), { files: { entries, language, keys } })
}
