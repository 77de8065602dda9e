/** Projects: list, create, change, delete, and the manifest. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { checkLevels, withLevels } from '../bundle/checks/check-settings.ts'
import type { Stored } from '../bundle/file-change.ts'
import { checkFormat, checkInterpolation, checkLanguage, checkProjectName, checkSlug } from '../bundle/names.ts'
import { refuseReviewTwins, refuseSlugTwin } from '../project/case-twins.ts'
import { allNamespaces, bundleAt, bundlesOf, findProject, languagesOf, requireProject } from '../project/layout.ts'
import { bundlePath, type Project, projectPath, renderProject } from '../project/project.ts'
import { withReviews } from '../project/review-settings.ts'
import { sidecarFiles } from '../project/sidecars/sidecars.ts'
import type { Steps } from '../scheduling/steps.ts'
import type { Snapshot, Transaction } from '../store/store.ts'
import { json, sendJson, sendRendered } from './answers/conditional.ts'
import { type PinnedState, pinnedStateOf } from './reading/pinned-state.ts'
import { atQuery, readAt } from './requests/at.ts'
import { actingIn, requireCaller } from './requests/caller.ts'
import {
  answer,
  checks,
  component,
  defaultFormat,
  deleting,
  interpolation,
  language,
  like,
  type OfProject,
  ProjectRow,
  projectHeaders,
  projectName,
  reading,
  review,
  reviewChange,
  type Sends,
  sourceLanguage,
  text,
  writing,
} from './requests/shapes.ts'
import { admitToProject } from './restore.ts'
import { putFile } from './writes.ts'
import { computeAfterSource } from './writing/beside-source.ts'
import type { BundleTask, Compute } from './writing/bundle-task.ts'
import { commitMessage } from './writing/commit-message.ts'

const NewProject = z
  .strictObject({
    slug: text(
      'Letters, digits and `. _ -` inside, at most 64. Unique in the organization, also without regard to case.',
      'web',
    ),
    name: projectName,
    sourceLanguage,
    defaultFormat: z.string().optional().describe('`i18next-json` (the default) or `i18next-json-flat`.'),
    interpolation,
  })
  .meta({ id: 'NewProject' })
const ProjectChange = z
  .strictObject({
    name: projectName.optional(),
    defaultFormat: z.string().optional().describe('Another format than now rewrites every file of the project.'),
    interpolation: interpolation.describe('What `problems` compare from now on; no file is rewritten.'),
    checks: checks.describe(
      'Levels of checks: `off`, `warn` or `refuse`. Checks that are not named stay as they are; stored texts stay, too.',
    ),
    review: reviewChange,
  })
  .meta({
    id: 'ProjectChange',
    examples: [{ name: 'Acme web shop' }, { checks: { space: 'refuse' } }, { review: { de: { fourEyes: false } } }],
  })
const Manifest = component('Manifest', {
  defaultFormat,
  interpolation,
  checks,
  review,
  sourceLanguage,
  languages: like(z.array(language), ['de', 'en']),
  namespaces: like(z.array(z.string()), ['common']),
})

/** Adds the routes to a scope behind `identify`. */
export function projectRoutes(app: FastifyInstance): void {
  const tags = ['Projects']

  const list = {
    tags,
    operationId: 'listProjects',
    summary: 'List the projects of the organization',
    description:
      'A token that is limited to some projects sees those. ' +
      'Releases belong to projects: here `at` accepts the full name of its tag, such as `web/v1`.',
    querystring: atQuery,
    ...reading(z.object({ projects: z.array(ProjectRow) }).describe('The projects, by slug.'), 'not-found', 'unfit'),
  }
  app.get('/api/projects', { schema: list, config: { permission: 'read', showsWithin: true } }, (request, reply) => {
    const { projects: only } = requireCaller(request, 'read')
    return readAt(reply, undefined, snapshot => {
      if (only === undefined) {
        const render = async () => json({ projects: (await projectsIn(pinnedStateOf(request, snapshot))).map(row) })
        return sendRendered(reply, snapshot.root, render, ' projects')
      }
      // The tag of the whole state would reveal writes to other projects.
      const present = only.map(slug => findProject(snapshot, slug)).filter(project => project !== undefined)
      return sendJson(reply, { projects: present.map(row) })
    })
  })

  const create = {
    tags,
    operationId: 'createProject',
    summary: 'Create a project',
    description:
      'Needs the role owner or admin, or a token that may write and is not limited to some projects. A deleted ' +
      'project with this slug leaves its history, but neither releases nor tokens that were limited to it.',
    body: NewProject,
    ...writing({ 201: answer(ProjectRow.describe('The created project.'), 'Location') }),
  }
  const config = { permission: 'manage-projects' } as const
  app.post<Sends<typeof NewProject>>('/api/projects', { schema: create, config }, async (request, reply) => {
    const project = checkProject(request.body)
    await makeRoom(app, request, project.slug)
    await app.writes.write(request, tx => {
      refuseSlugTwin(tx, project.slug)
      tx.put(projectPath(project.slug), renderProject(project))
      return { result: undefined, message: commitMessage({ slug: project.slug, kind: 'create-project' }, project) }
    })
    return reply.code(201).header('location', `projects/${project.slug}`).send(row(project))
  })

  const manifest = {
    tags,
    operationId: 'getManifest',
    summary: 'The manifest of a project',
    description:
      'What an app or a tool needs to know before it reads bundles. Name and slug are in the list of projects.',
    querystring: atQuery,
    ...reading(Manifest.describe('Its formats, languages and namespaces.'), 'not-found', 'unfit'),
  }
  const url = '/api/projects/:slug'
  app.get<OfProject>(url, { schema: manifest, config: { permission: 'read' } }, (request, reply) => {
    const { slug } = request.params
    return readAt(reply, slug, snapshot => {
      const project = requireProject(snapshot, slug)
      const render = () =>
        json({
          defaultFormat: project.defaultFormat,
          interpolation: project.interpolation,
          checks: project.checks,
          review: project.review,
          sourceLanguage: project.sourceLanguage,
          languages: languagesOf(snapshot, project),
          namespaces: allNamespaces(snapshot, project),
        })
      return sendRendered(reply, snapshot.entry(slug)!.id, render, ' manifest')
    })
  })

  const change = {
    tags,
    operationId: 'changeProject',
    summary: 'Change the name, format, interpolation, checks or review of a project',
    description:
      'Needs the role owner or admin, or a token that may write. Another format rewrites every file of the project in ' +
      'one commit: the same keys with the same messages, each where its name says. Slug and source language stay.',
    headers: projectHeaders,
    body: ProjectChange,
    ...writing({ 200: ProjectRow.describe('The project as it is now.') }, 'not-found', 'stale'),
  }
  app.patch<OfProject & Sends<typeof ProjectChange>>(url, { schema: change, config }, async (request, reply) => {
    const { slug } = request.params
    const { name, defaultFormat, interpolation } = request.body
    const levels = request.body.checks && checkLevels(request.body.checks)
    const changes = {
      ...(name !== undefined && { name: checkProjectName(name) }),
      ...(defaultFormat !== undefined && { defaultFormat: checkFormat(defaultFormat) }),
      ...(interpolation !== undefined && { interpolation: checkInterpolation(interpolation) }),
    }
    const result = await app.changes.run(reply, { slug }, function* (tx, compute) {
      const before = admitToProject(tx, slug, request)
      const checks = withLevels(before.checks, levels ?? {})
      const review = withReviews(before.review, request.body.review ?? {}, before.sourceLanguage)
      const project: Project = { ...before, ...changes, checks, review }
      if (request.body.review) refuseReviewTwins(tx, project)
      if (project.defaultFormat !== before.defaultFormat)
        yield* rewriteBundles(tx, before, project.defaultFormat, compute)
      tx.put(projectPath(slug), renderProject(project))
      const changed = {
        name: project.name !== before.name,
        format: project.defaultFormat === before.defaultFormat ? undefined : project.defaultFormat,
        interpolation: JSON.stringify(project.interpolation) !== JSON.stringify(before.interpolation),
        checks: JSON.stringify(project.checks) !== JSON.stringify(before.checks),
        review: JSON.stringify(project.review) !== JSON.stringify(before.review),
      }
      return { result: project, message: commitMessage({ slug, kind: 'change-project', ...changed }, project) }
    })
    return reply.send(row(result))
  })

  const remove = {
    tags,
    operationId: 'deleteProject',
    summary: 'Delete a project with all its bundles',
    description: 'Needs the role owner or admin, or a token that may write. One commit; the files stay in the history.',
    headers: projectHeaders,
    ...deleting(undefined, 'stale'),
  }
  app.delete<OfProject>(url, { schema: remove, config }, async (request, reply) => {
    const { slug } = request.params
    await app.writes.write(request, function* (tx) {
      const project = admitToProject(tx, slug, request)
      for (const bundle of bundlesOf(tx, slug)) {
        tx.remove(bundlePath(bundle))
        yield
      }
      for (const path of sidecarFiles(tx, slug)) tx.remove(path)
      tx.remove(projectPath(slug))
      return { result: undefined, message: commitMessage({ slug, kind: 'delete-project' }, project) }
    })
    return reply.code(204).send()
  })
}

/** Every project, in code-unit order of slugs. In slices. @throws Failure as {@link findProject} */
async function projectsIn({ look, pause }: PinnedState): Promise<Project[]> {
  const projects: Project[] = []
  for (const { name } of await look(state => state.list(''))) {
    await pause()
    const project = await look(state => findProject(state, name))
    if (project) projects.push(project)
  }
  return projects.sort((a, b) => (a.slug < b.slug ? -1 : 1))
}

/**
 * Withdraws tokens and releases of a deleted project from its slug, before a new project gets the slug.
 * @throws Failure `conflict`, without any change, while a project has it
 */
async function makeRoom(app: FastifyInstance, request: FastifyRequest, slug: string): Promise<void> {
  const caller = requireCaller(request, 'manage-projects')
  const isFree = (state: Snapshot) => refuseSlugTwin(state, slug)
  const check = () => app.writes.look(request, isFree)
  await app.auth.withdraw(caller.organization, slug, actingIn(request, caller), check)
  await app.writes.releases(request).retire(caller.organization, slug, isFree)
}

function* rewriteBundles(
  tx: Transaction,
  project: Project,
  format: Project['defaultFormat'],
  compute: Compute,
): Steps<void> {
  const parts: BundleTask<'reformat'>[] = []
  const task = (stored: Stored) => ({ stored, format })
  for (const bundle of bundlesOf(tx, project.slug)) {
    parts.push({ name: 'reformat', bundle, id: bundleAt(tx, bundle).id, format: project.defaultFormat, task })
    yield
  }
  const target = { ...project, defaultFormat: format }
  const files = yield* computeAfterSource(parts, { state: tx, project: target }, compute, file => file)
  for (const [at, file] of files.entries()) {
    putFile(tx, parts[at]!.bundle, file, parts[at]!.id)
    yield
  }
}

function checkProject(body: z.infer<typeof NewProject>): Project {
  return {
    slug: checkSlug(body.slug),
    name: checkProjectName(body.name),
    sourceLanguage: checkLanguage(body.sourceLanguage),
    defaultFormat: checkFormat(body.defaultFormat ?? 'i18next-json'),
    interpolation: body.interpolation && checkInterpolation(body.interpolation),
  }
}

function row({ slug, name, sourceLanguage, defaultFormat, interpolation, checks, review }: Project): Project {
  return { slug, name, sourceLanguage, defaultFormat, interpolation, checks, review }
}
