/** Ids of plans: the revision that a plan is based on, and a digest of its changes. Nothing else is stored. */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../auth/access.ts'
import { Failure } from '../../bundle/errors.ts'
import { projectIn } from '../../project/layout.ts'
import type { Project } from '../../project/project.ts'
import { resolveFor } from '../requests/at.ts'
import { requireCaller } from '../requests/caller.ts'
import { fateOfTexts } from './fate-of-texts.ts'
import { findBodyLine } from './find-body-line.ts'
import type { RequestedChanges } from './requested-changes.ts'

/** Commits since a plan that are searched for its id. */
const MOST_COMMITS = 1_000
const TRAILER = 'Parlance-Plan'

/** @param revision of a project as the caller sees it: the rights of the caller are part of the plan */
export function planId(revision: string, asked: RequestedChanges, project: Project, caller: Caller): string {
  const languages = [...new Set(asked.set.map(({ language }) => language))]
  const fates = languages.map(language => fateOfTexts(project, caller, language, true))
  const digest = createHash('sha256')
    .update(JSON.stringify([project.slug, asked, fates]))
    .digest('base64url')
  return `${revision}-${digest.slice(0, 16)}`
}

export const planTrailer = (plan: string): [string, string] => [TRAILER, plan]

/**
 * The revision that a plan is based on.
 * @throws Failure `invalid` for an id that no plan gave, or for other changes or rights; as `resolveFor`
 */
export async function plannedOn(
  request: FastifyRequest,
  plan: string,
  { slug, asked }: { slug: string; asked: RequestedChanges },
): Promise<string> {
  const [, named] = /^([0-9a-f]{40})-[\w-]{16}$/.exec(plan) ?? []
  if (named === undefined) throw new Failure('invalid', 'The body does not fit: "plan" is not the id of a plan.')
  const revision = (await resolveFor(request, named, slug)).revision!
  const isPlan = await request.server.writes.look(request, (state, ask) => {
    const project = projectIn(state.at(revision), slug)
    return project !== undefined && planId(named, asked, project, ask('suggest')) === plan
  })
  if (isPlan) return revision
  throw new Failure(
    'invalid',
    'The changes are not those of the plan, or the rights are others: send the same ones, or create a new plan.',
  )
}

/**
 * The commit that carried out a plan, undefined without one.
 * @throws Failure `conflict` where too many commits followed it
 */
export async function commitOfPlan(request: FastifyRequest, plan: string, since: string): Promise<string | undefined> {
  const { organization } = requireCaller(request, 'read')
  const trailer = `${TRAILER}: ${plan}`
  const looked = { organization, since, most: MOST_COMMITS }
  const found = await findBodyLine(request.server, looked, (line, revision) =>
    line === trailer ? { revision } : undefined,
  )
  if (found !== null) return found?.revision
  const many = MOST_COMMITS.toLocaleString('en')
  throw new Failure('conflict', `The plan is out of date: more than ${many} commits followed it. Create a new plan.`)
}
