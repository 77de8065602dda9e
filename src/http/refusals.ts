/** Texts of a language that the gate refused, and that have not changed since. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { gateSentence } from '../bundle/gate/gate-sentence.ts'
import { checkLanguage } from '../bundle/names.ts'
import { requireLanguage, requireProject } from '../project/layout.ts'
import { sendJson } from './answers/conditional.ts'
import { requireCaller } from './requests/caller.ts'
import { inTurns } from './requests/client-gone.ts'
import { readRequired } from './requests/query.ts'
import {
  component,
  count,
  GateFaultsShape,
  key,
  language,
  namespace,
  type OfProject,
  reading,
  text,
} from './requests/shapes.ts'
import { GateRefusals, presentRefusals, withinLimits } from './translating/gate-refusals.ts'
import { jobReading } from './translating/job-reading.ts'

/** Refusals in an answer, and their characters. */
const MOST = { texts: 1_000, characters: 1_000_000 }

const RefusalsShape = component('Refusals', {
  refusals: z
    .array(
      z.object({
        namespace,
        key,
        machine: text('The machine.', 'DeepL'),
        reason: text('Why.', 'the form few lacks {{count}}.'),
        faults: GateFaultsShape,
      }),
    )
    .describe('By namespace and key: at most 1,000, fewer where they are long.'),
  count: count('All of them.', 3),
})

type OfLanguage = OfProject & { Querystring: { language: string } }

/** Adds the route to a scope behind `identify`. */
export function refusalRoutes(app: FastifyInstance): void {
  const inTurn = inTurns('lists of refusals')
  const schema = {
    tags: ['Machines'],
    operationId: 'getRefusals',
    summary: 'Texts that the gate refused',
    description:
      'Of the last 20 jobs of the project: texts without a translation that passed, unless the source or the text has ' +
      'changed since. No later job sends them, except with `again`.',
    querystring: z.object({ language }),
    ...reading(RefusalsShape.describe('The refusals.'), 'not-found'),
  }
  const config = { permission: 'read' } as const
  app.get<OfLanguage>('/api/projects/:slug/refusals', { schema, config }, async (request, reply) => {
    const { organization } = requireCaller(request, 'read')
    const { slug } = request.params
    const language = checkLanguage(readRequired(request, 'language', 'name the language of the translations'))
    await app.store.read(organization, now => requireLanguage(now, requireProject(now, slug), language))
    const present = await inTurn(reply, async left => {
      const refused = await GateRefusals.read(app.auth.jobs, { organization, project: slug }, language)
      return presentRefusals(await jobReading(app, organization, slug, left), refused, language)
    })
    const refusals = withinLimits(present, MOST).map(({ namespace, key, by, refused: faults }) => {
      return { namespace, key, machine: by, reason: gateSentence(faults), faults }
    })
    sendJson(reply, { refusals, count: present.length })
  })
}
