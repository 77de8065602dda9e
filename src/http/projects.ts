/** The projects of an organization: list, create, and the manifest of one. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import { checkFormat, checkLanguage, checkProjectName, checkSlug, sameIgnoringCase } from '../bundle/names.ts'
import { type Project, projectPath, renderProject } from '../bundle/project.ts'
import type { Store } from '../store/store.ts'
import { checkShape, readJson } from './body.ts'
import { requireCaller } from './caller.ts'
import { sendEntity } from './conditional.ts'
import { allNamespaces, languagesOf, projectsIn, requireProject } from './layout.ts'
import { readFlags } from './query.ts'
import { denied, eitherCredential, failures, language, nothing, readHeaders, slug, writeFailures } from './shapes.ts'

const format = z
  .enum(['i18next-json', 'i18next-json-flat'])
  .describe('`i18next-json` nests keys at dots; `i18next-json-flat` keeps dots literal.')
const ProjectRow = z.object({ slug, name: z.string(), sourceLanguage: language, defaultFormat: format })
const NewProject = z.strictObject({
  slug: z
    .string()
    .describe('Letters, digits and `. _ -` inside, at most 64; unique in the organization whatever its case.'),
  name: z.string().describe('1 to 100 characters after trimming.'),
  sourceLanguage: language,
  defaultFormat: z.string().optional().describe('`i18next-json` (the default) or `i18next-json-flat`.'),
})
const Manifest = z.object({
  defaultFormat: format,
  sourceLanguage: language,
  languages: z.array(language),
  namespaces: z.array(z.string()),
})

/** Adds the routes to a scope behind `identify`. @param bodyLimit in bytes */
export function projectRoutes(app: FastifyInstance, store: Store, bodyLimit: number): void {
  const tags = ['Projects']

  const list = {
    tags,
    summary: 'List the projects of the organization',
    security: eitherCredential,
    headers: readHeaders,
    response: {
      200: z.object({ projects: z.array(ProjectRow) }).describe('The projects, by slug.'),
      304: nothing('Unchanged.'),
      ...denied,
    },
  }
  app.get('/api/projects', { schema: list }, (request, reply) => {
    const caller = requireCaller(request, 'read')
    return store.read(caller.organization, snapshot =>
      sendEntity(request, reply, snapshot.root, () => json({ projects: projectsIn(snapshot).map(row) })),
    )
  })

  const create = {
    tags,
    summary: 'Create a project',
    description: 'Takes the role owner or admin, or a token that may write.',
    security: eitherCredential,
    body: NewProject,
    response: { 201: ProjectRow.describe('The created project.'), ...denied, ...writeFailures },
  }
  app.post('/api/projects', { schema: create }, async (request, reply) => {
    const caller = requireCaller(request, 'manage-projects')
    readFlags(request, [])
    const project = checkProject(checkShape(NewProject, await readJson(request, bodyLimit)))
    await store.write(caller.organization, caller, tx => {
      const twin = projectsIn(tx).find(({ slug }) => sameIgnoringCase(slug, project.slug))
      if (twin) throw new Failure('conflict', `The slug "${project.slug}" is taken by project "${twin.slug}".`)
      tx.put(projectPath(project.slug), renderProject(project))
      const message = {
        subject: `create project ${project.slug}`,
        trailers: [['Parlance-Project', project.slug]] as [string, string][],
      }
      return { result: undefined, message }
    })
    return reply.code(201).header('location', `/api/projects/${project.slug}`).send(row(project))
  })

  const manifest = {
    tags,
    summary: 'The manifest of a project',
    security: eitherCredential,
    params: z.object({ slug }),
    headers: readHeaders,
    response: {
      200: Manifest.describe('Its formats, languages and namespaces.'),
      304: nothing('Unchanged.'),
      ...denied,
      ...failures('not-found'),
    },
  }
  app.get<{ Params: { slug: string } }>('/api/projects/:slug', { schema: manifest }, (request, reply) => {
    const slug = checkSlug(request.params.slug)
    const caller = requireCaller(request, 'read')
    return store.read(caller.organization, snapshot => {
      const project = requireProject(snapshot, slug)
      return sendEntity(request, reply, snapshot.entry(slug)!.id, () =>
        json({
          defaultFormat: project.defaultFormat,
          sourceLanguage: project.sourceLanguage,
          languages: languagesOf(snapshot, project),
          namespaces: allNamespaces(snapshot, project),
        }),
      )
    })
  })
}

function checkProject(body: z.infer<typeof NewProject>): Project {
  return {
    slug: checkSlug(body.slug),
    name: checkProjectName(body.name),
    sourceLanguage: checkLanguage(body.sourceLanguage),
    defaultFormat: checkFormat(body.defaultFormat ?? 'i18next-json'),
  }
}

function row({ slug, name, sourceLanguage, defaultFormat }: Project): Project {
  return { slug, name, sourceLanguage, defaultFormat }
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}
