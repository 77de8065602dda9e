/** Ids of plans: the revision that a plan is based on, and a digest of its changes. Nothing else is stored. */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Failure } from '../../bundle/errors.ts'
import { resolveFor } from '../requests/at.ts'
import { requireCaller } from '../requests/caller.ts'
import { findBodyLine } from './find-body-line.ts'

/** Commits since a plan that are searched for its id. */
const MOST_COMMITS = 1_000
const TRAILER = 'Parlance-Plan'

/** @param changes in a canonical form: equal changes have equal JSON */
export const digestOf = (changes: unknown): string =>
  createHash('sha256').update(JSON.stringify(changes)).digest('base64url').slice(0, 16)

export const planId = (revision: string, digest: string): string => `${revision}-${digest}`

export const planTrailer = (plan: string): [string, string] => [TRAILER, plan]

/**
 * The revision that a plan is based on.
 * @throws Failure `invalid` for an id that no plan gave, or for other changes; as `resolveFor`
 */
export async function plannedOn(
  request: FastifyRequest,
  plan: string,
  { slug, digest }: { slug: string; digest: string },
): Promise<string> {
  const [, revision, planned] = /^([0-9a-f]{40})-([\w-]{16})$/.exec(plan) ?? []
  if (revision === undefined) throw new Failure('invalid', 'The body does not fit: "plan" is not the id of a plan.')
  if (planned !== digest) {
    throw new Failure('invalid', 'The changes are not those of the plan: send the same ones, or create a new plan.')
  }
  return (await resolveFor(request, revision, slug)).revision!
}

/** The commit that carried out a plan, undefined without one among the commits since. */
export async function commitOfPlan(request: FastifyRequest, plan: string, since: string): Promise<string | undefined> {
  const { organization } = requireCaller(request, 'read')
  const trailer = `${TRAILER}: ${plan}`
  const looked = { organization, since, most: MOST_COMMITS }
  const found = await findBodyLine(request.server, looked, (line, revision) =>
    line === trailer ? { revision } : undefined,
  )
  return found?.revision
}
