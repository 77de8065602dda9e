/** Releases of a project: fixed names for states, as annotated tags in every clone. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { checkReleaseName } from '../bundle/names.ts'
import { requireProject } from '../project/layout.ts'
import { type Release, unknownRelease } from '../store/releases.ts'
import type { Snapshot } from '../store/store.ts'
import { json, sendEntity, sendJson } from './answers/conditional.ts'
import { Author } from './history.ts'
import { shownRevision } from './requests/at.ts'
import { requireCaller } from './requests/caller.ts'
import { clientGone } from './requests/client-gone.ts'
import {
  answer,
  component,
  deleting,
  type OfProject,
  reading,
  revision,
  type Sends,
  slug,
  text,
  time,
  writing,
} from './requests/shapes.ts'

const name = text(
  '1 to 64 of `A-Z a-z 0-9 . _ -`, beginning and ending with a letter or digit, and no revision id.',
  'v1',
)
const NewRelease = z.strictObject({ name }).meta({ id: 'NewRelease' })
const ReleaseRow = component('Release', {
  name,
  revision: revision.describe('The full id of the commit, which `?at=` accepts. It never changes.'),
  createdAt: time,
  createdBy: Author.describe('As in the tag; a token has no mailbox.'),
})

const tags = ['Releases']
const url = '/api/projects/:slug/releases'

type OfRelease = { Params: { slug: string; name: string } }

/** Adds the routes to a scope behind `identify`. */
export function releaseRoutes(app: FastifyInstance): void {
  const list = {
    tags,
    operationId: 'listReleases',
    summary: 'List the releases of a project',
    description: 'A token that is limited to some projects sees theirs.',
    ...reading(z.object({ releases: z.array(ReleaseRow) }).describe('The newest first.'), 'not-found'),
  }
  const reads = { permission: 'read' } as const
  app.get<OfProject>(url, { schema: list, config: reads }, async (request, reply) => {
    const { slug } = request.params
    const { organization } = requireCaller(request, 'read')
    const found = await app.writes.releases(request).list(organization, slug, present(slug))
    const left = clientGone(reply)
    const releases: z.infer<typeof ReleaseRow>[] = []
    // The oldest first: the search for the revision of each ends at that of the one before.
    for (const release of found.toReversed()) {
      left.throwIfAborted()
      const shown = await row(request, release)
      if (shown) releases.push(shown)
    }
    sendJson(reply, { releases: releases.reverse() })
    return reply
  })

  const create = {
    tags,
    operationId: 'createRelease',
    summary: 'Release a project as it is now',
    description:
      'Names the newest revision: an annotated git tag `<slug>/<name>`, which every clone brings along, and `?at=<name>` reads. ' +
      'A name once used stays with its revision, also after the release is deleted: for another one it is 409.',
    body: NewRelease,
    ...writing({ 201: answer(ReleaseRow.describe('The release.'), 'Location') }, 'not-found'),
  }
  const edits = { permission: 'edit' } as const
  app.post<OfProject & Sends<typeof NewRelease>>(url, { schema: create, config: edits }, async (request, reply) => {
    const { slug } = request.params
    const name = checkReleaseName(request.body.name)
    const caller = requireCaller(request, 'edit')
    const releases = app.writes.releases(request)
    const made = await releases.create(caller.organization, caller, { slug, name }, present(slug))
    return reply
      .code(201)
      .header('location', `releases/${name}`)
      .send(await row(request, made))
  })

  const read = {
    tags,
    operationId: 'getRelease',
    summary: 'One release',
    description: 'The revision that it names never changes, so every answer may be cached.',
    params: z.object({ slug, name }),
    ...reading(
      ReleaseRow.describe('The release. The opaque part of the `ETag` is the git id of its tag.'),
      'not-found',
    ),
  }
  app.get<OfRelease>(`${url}/:name`, { schema: read, config: reads }, async (request, reply) => {
    const { slug } = request.params
    const name = checkReleaseName(request.params.name)
    const { organization } = requireCaller(request, 'read')
    const found = await app.writes.releases(request).find(organization, { slug, name }, present(slug))
    const shown = await row(request, found)
    if (!shown) throw unknownRelease({ slug, name })
    sendEntity(reply, found.tag, () => json(shown))
    return reply
  })

  const remove = {
    tags,
    operationId: 'deleteRelease',
    summary: 'Delete a release',
    description:
      'Needs the role owner or admin, or a token that may write. The revision stays in the history. Clones retain their ' +
      'tag, and no other revision can get the name.',
    params: z.object({ slug, name }),
    ...deleting(),
  }
  const manages = { permission: 'manage-projects' } as const
  app.delete<OfRelease>(`${url}/:name`, { schema: remove, config: manages }, async (request, reply) => {
    const { slug } = request.params
    const name = checkReleaseName(request.params.name)
    const { organization } = requireCaller(request, 'manage-projects')
    await app.writes.releases(request).remove(organization, { slug, name }, present(slug))
    return reply.code(204).send()
  })
}

/** The check that there is such a project. */
const present = (slug: string) => (snapshot: Snapshot) => requireProject(snapshot, slug)

/** Undefined for a tag, set by git, of a state before the first commit to the caller's projects. */
async function row(
  request: FastifyRequest,
  { name, revision, time, author }: Release,
): Promise<z.infer<typeof ReleaseRow> | undefined> {
  const shown = await shownRevision(request, revision)
  return shown === null
    ? undefined
    : { name, revision: shown, createdAt: new Date(time * 1000).toISOString(), createdBy: author }
}
