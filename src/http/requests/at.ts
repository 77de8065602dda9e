/** `?at=`: answering a read as of an earlier state. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { reaches } from '../../auth/access.ts'
import { Failure } from '../../bundle/errors.ts'
import { namesWithin } from '../../project/glossary-file.ts'
import { isTagName } from '../../store/refs/tags.ts'
import { unknownRevision } from '../../store/snapshot.ts'
import { EMPTY_SNAPSHOT, type ReadOnlyStore, type Resolved, type Snapshot } from '../../store/store.ts'
import { IMMUTABLE, REVALIDATED } from '../answers/conditional.ts'
import { requireCaller } from './caller.ts'
import { badCursor, readOnce } from './query.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What reads are answered from. */
    store: ReadOnlyStore
  }
  interface FastifyRequest {
    /** The newest state, where it and the URL alone determine the answer. */
    state: Snapshot | null
  }
}

/** The query parameter, for `schema.querystring`. */
export const atParameter = z
  .string()
  .optional()
  .describe(
    'Answers as of then: a revision (the full id, or 4 digits of it and more), the name of a release of the project, ' +
      'a tag by its full name (`web/v1`), or a time (`2026-11-20`, `2026-11-20T09:30:00+02:00`), which stands for the newest ' +
      'revision that is not later; with `^` at its end the state before that. An answer to a full id never changes, ' +
      'and says so.',
  )
  .meta({ examples: ['v1', '2026-11-20'] })

/** The query of a read without other parameters. */
export const atQuery = z.object({ at: atParameter })

/** The state that the caller asks for, undefined for now. @throws Failure `invalid` when it is given twice */
export const askedAt = (request: FastifyRequest): string | undefined => readOnce(request, 'at')

type Use = (snapshot: Snapshot) => Promise<void> | void

/**
 * Runs `use` on the newest state, or on the one that `?at=` names; it reads the state in its first turn, and answers.
 * Answers to a full revision id never change and say so; failures may.
 * @param slug the project of the releases that may be named
 * @throws Failure `forbidden`; as `store.resolve`, `store.read` and `use`; `unfit` for a state that a commit broke
 */
export function readAt(reply: FastifyReply, slug: string | undefined, use: Use): Promise<void> | void {
  const { request } = reply
  const { organization } = requireCaller(request, 'read')
  const at = askedAt(request)
  if (at !== undefined) return resolveFor(request, at, slug).then(state => answerThen(reply, organization, state, use))
  // The common case, over before anything else can run.
  const { store } = request.server
  const now = store.snapshot(organization)
  if (now === undefined) return store.read<void>(organization, use)
  request.state = now
  return use(now)
}

/** As {@link readAt}, for answers that name the revision: {@link shownRevision}. */
export function readShownAt(reply: FastifyReply, slug: string, use: Use): Promise<void> | void {
  const { request } = reply
  const { organization, projects } = requireCaller(request, 'read')
  if (projects === undefined) return readAt(reply, slug, use)
  return resolveFor(request, askedAt(request), slug).then(state => answerThen(reply, organization, state, use))
}

/** As {@link readShownAt}; a page after the first is of the state that its cursor names. */
export function readPage(
  reply: FastifyReply,
  slug: string,
  cursor: { revision: string } | undefined,
  use: Use,
): Promise<void> | void {
  if (cursor === undefined) return readShownAt(reply, slug, use)
  const { organization } = requireCaller(reply.request, 'read')
  return resolveCursor(reply.request, cursor.revision).then(({ revision }) =>
    reply.server.store.read<void>(organization, now => use(stateAt(now, revision))),
  )
}

/**
 * The commit that `at` names to the caller, by default the newest: releases out of a token's reach are to it as those
 * that there are not.
 * @param slug the project of the releases that may be named alone
 * @throws Failure as `store.resolve`
 */
export async function resolveFor(request: FastifyRequest, at: string | undefined, slug?: string): Promise<Resolved> {
  const caller = requireCaller(request, 'read')
  const { store } = request.server
  if (at === undefined) {
    const newest = await store.read(caller.organization, ({ revision }) => revision)
    return { revision: await shownRevision(request, newest), exact: false }
  }
  const name = at.replace(/\^$/, '')
  const [project, ...release] = name.split('/')
  if (release.length > 0 && isTagName(name) && !reaches(caller, project!)) throw unknownRevision(at)
  return store.resolve(caller.organization, at, slug, caller.projects && namesWithin(caller.projects))
}

/**
 * The revision that stands for a state in an answer. A token that is limited to some projects sees no commit that
 * changed neither them nor the organization's glossary: the newest one before it that did has the same content of both.
 */
export async function shownRevision(request: FastifyRequest, revision: string | null): Promise<string | null> {
  const { organization, projects } = requireCaller(request, 'read')
  if (projects === undefined || revision === null) return revision
  return request.server.store.newestChange(organization, namesWithin(projects), revision)
}

/** The commit that a cursor names. @throws Failure `invalid` for one that no page gave, and as `store.resolve` */
export function resolveCursor(request: FastifyRequest, revision: string): Promise<Resolved> {
  return resolveFor(request, revision).catch(error => {
    throw error instanceof Failure && error.code === 'not-found' ? badCursor() : error
  })
}

/** The state at a revision; null is before the first one. */
export function stateAt(now: Snapshot, revision: string | null): Snapshot {
  return revision === null ? EMPTY_SNAPSHOT : now.at(revision)
}

async function answerThen(
  reply: FastifyReply,
  organization: string,
  { revision, exact }: Resolved,
  use: Use,
): Promise<void> {
  if (exact) reply.header('cache-control', IMMUTABLE)
  try {
    await reply.server.store.read<void>(organization, now => use(stateAt(now, revision)))
  } catch (error) {
    reply.header('cache-control', REVALIDATED)
    if (!(error instanceof Failure) || error.code !== 'unfit') throw error
    throw new Failure('unfit', `Revision ${revision} was committed by hand and breaks the rules: ${error.message}`)
  }
}
