/** A change of the server that is displayed as a plan, confirmed, and sent for the state of the plan. */
import { projectPath } from '../api/client.ts'
import type { Shape } from '../api/shape.ts'
import type { Context } from '../context.ts'
import { Problem } from '../problem.ts'

export interface PlannedChange<T> {
  /** The route below the project. */
  route: 'restore' | 'revert'
  shape: Shape<T>
  body: object
  question: string
  dryRun: boolean
  /** Sends it without a plan. */
  yes: boolean
  /** Whether a plan changes anything. */
  changesSomething(plan: T): boolean
  /** The plan as a text. */
  show(plan: T): string
}

/**
 * Sends a change, or its dry run.
 * @returns the answer, and whether its plan was displayed; undefined after a no
 * @throws Problem if the server changed since the plan
 */
export async function sendPlanned<T>(
  context: Context,
  { route, shape, body, question, dryRun, yes, changesSomething, show }: PlannedChange<T>,
): Promise<{ answer: T; isShown: boolean } | undefined> {
  const [api, project] = [await context.api(), await context.project()]
  const send = (query: Record<string, boolean>, ifMatch?: string) =>
    api.ask('POST', projectPath(project, route), shape, {
      query,
      body,
      ...(ifMatch !== undefined && { ifMatch }),
      accept: [200, 412],
    })
  const first = await send(yes && !dryRun ? { details: true } : { dryRun: true })
  if (yes || dryRun || !changesSomething(first.json)) return { answer: first.json, isShown: false }
  await context.out(`${show(first.json)}\n`)
  if (!(await context.ask.confirm(question, '--yes'))) {
    await context.out('Nothing was changed.\n')
    return undefined
  }
  const { status, json } = await send({ details: true }, first.headers.etag)
  if (status === 412) {
    throw new Problem('Another user changed it since the plan, and nothing was done.', { hint: 'Run it again.' })
  }
  return { answer: json, isShown: true }
}
