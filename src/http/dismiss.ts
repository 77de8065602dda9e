/** Dismisses a problem of a translation: the check is wrong about this text. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { CHECK_KINDS, type CheckKind } from '../bundle/checks/check-settings.ts'
import { Failure } from '../bundle/errors.ts'
import { expectedOf } from '../bundle/many-push.ts'
import { secondOf } from '../bundle/mark.ts'
import { peel } from '../bundle/message.ts'
import { checkKey, checkLanguage, checkNamespace, shortKey } from '../bundle/names.ts'
import { hasBundle, idOf, missingBundle, missingKey, refuseSource, requireProject } from '../project/layout.ts'
import { type BundleName, bundlePath, type Project } from '../project/project.ts'
import type { DismissProblemTask } from '../project/sidecars/dismiss-problem.ts'
import { sidecarPath } from '../project/sidecars/sidecars.ts'
import { TaskFile } from '../project/sidecars/task-file.ts'
import { nameOfRules, textRulesIn } from '../project/text-rules.ts'
import type { Snapshot } from '../store/store.ts'
import { ExpectedShape, ManyStale, refuseConditions, refuseStale } from './push.ts'
import { shownRevision } from './requests/at.ts'
import { requireCaller } from './requests/caller.ts'
import { entryAuthor } from './requests/entry-author.ts'
import {
  component,
  key,
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
import { putSidecar } from './writing/sidecar-file.ts'
import { unreadTask } from './writing/unread-task.ts'

const kind = like(z.enum(CHECK_KINDS), 'length')

const Dismissing = z.strictObject({
  language,
  namespace,
  key: key.describe('The key; a plural is named by its base.'),
  kind: kind.describe('The check. The problems that it finds in all forms of the key are dismissed.'),
  dismissed: like(z.boolean().optional(), true).describe('`false` shows the problem again. By default `true`.'),
  expected: ExpectedShape,
})
const Dismissed = component('Dismissed', {
  revision: revision.nullable().describe('The full id of the commit; where nothing changed, of the newest one.'),
  key,
  kind: kind.describe('The check.'),
  dismissed: like(z.boolean(), true).describe('Whether the problem is dismissed.'),
})

/** Adds the route to a scope behind `identify`. */
export function dismissRoutes(app: FastifyInstance): void {
  const dismiss = {
    tags: ['Marks'],
    operationId: 'dismissProblem',
    summary: 'Dismiss a problem of a translation, or show it again',
    description:
      'A dismissed problem no longer counts, and no write of this text is refused for it. It returns when the text or its ' +
      'source changes, and is dismissed again when both have the same words as before. Bundles and their `ETag` stay.',
    body: Dismissing,
    ...writing(
      {
        200: Dismissed.describe('The problem as it is now.'),
        412: { description: 'Bundles are not as `expected` says; nothing was written.', body: ManyStale },
      },
      'not-found',
      'unfit',
    ),
  }
  type Dismiss = OfProject & Sends<typeof Dismissing>
  const options = { config: { permission: 'edit' }, bodyLimit: app.limits.keyBody } as const
  app.post<Dismiss>('/api/projects/:slug/dismiss', { schema: dismiss, ...options }, async (request, reply) => {
    refuseConditions(request)
    const { slug } = request.params
    const { kind, dismissed = true, expected = {}, ...place } = request.body
    const bundle = { slug, language: checkLanguage(place.language), namespace: checkNamespace(place.namespace) }
    const { key } = peel(checkKey(place.key))
    const tags = Object.entries(expected).map(([name, tag]) => expectedOf(name, tag))
    const mark = dismissed ? { by: entryAuthor(requireCaller(request, 'edit')), at: secondOf(new Date()) } : null
    const { revision } = await app.changes.written(reply, { slug }, (state, compute) => {
      const project = requireProject(state, slug)
      refuseStale(state, slug, tags)
      refuseSource(project, bundle.language, 'only translations have problems')
      if (!hasBundle(state, bundle)) throw missingBundle(bundle)
      const outcome = compute([dismissal(state, project, bundle, { key, kind, mark })])[0]!
      const message = describe(bundle, { kind: dismissed ? 'dismiss' : 'reopen', key, check: kind }, {})
      if (outcome.is === 'no-key') throw missingKey(key, bundle)
      if (outcome.is === 'no-problem') throw noProblem(key, kind, bundle)
      if (outcome.is !== 'changed') return { result: undefined, message }
      putSidecar(state, project, { sidecar: 'marks', ...bundle }, outcome.file)
      return { result: undefined, message }
    })
    return reply.send({ revision: await shownRevision(request, revision), key, kind, dismissed })
  })
}

/** What becomes of the marks; the worker computes it where the bundles are large. */
function dismissal(
  state: Snapshot,
  project: Project,
  bundle: BundleName,
  asked: Pick<DismissProblemTask, 'key' | 'kind' | 'mark'>,
): BundleTask<'dismissProblem'> {
  const { slug, language, namespace } = bundle
  const { sourceLanguage } = project
  const path = sidecarPath({ sidecar: 'marks', ...bundle })
  const file = (path: string) => TaskFile.at(path, state)
  const rules = textRulesIn(state, project)
  const files = {
    path,
    marks: file(path),
    source: file(bundlePath({ ...bundle, language: sourceLanguage })),
    target: file(bundlePath(bundle)),
    notes: file(sidecarPath({ sidecar: 'notes', slug, namespace })),
    ...{ sourceLanguage, language, ...asked },
  }
  const rest = { input: { rules }, name: nameOfRules(rules) }
  return unreadTask('dismissProblem', bundle, idOf(state, bundle), { files, rest })
}

function noProblem(key: string, kind: CheckKind, { language, namespace }: BundleName): Failure {
  const name = JSON.stringify(shortKey(key))
  return new Failure('unfit', `The check "${kind}" finds no problem in ${name} of ${language}/${namespace}.`)
}
