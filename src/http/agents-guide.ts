/** `GET /agents.md`: the guide for coding agents, for the instructions of a repository. */
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { sendEntity } from './answers/conditional.ts'
import { once } from './build.ts'
import { readGuide } from './description/guides.ts'
import { failures, reading, text } from './requests/shapes.ts'

const TYPE = 'text/markdown'

/** Adds the route, open to everybody: it serves a guide of the package. */
export function agentsGuideRoute(app: FastifyInstance): void {
  const { response, headers } = reading(text('The guide, as Markdown.', '# Agents\n…'))
  const schema = {
    tags: ['Server'],
    security: [],
    operationId: 'getAgentsGuide',
    summary: 'What a coding agent does in an i18next project with Parlance',
    description: 'The guide `agents` as Markdown, to refer to in the instructions for agents of a repository.',
    headers,
    response: { 200: { ...response[200]!, type: TYPE }, 304: response[304], ...failures('not-found') },
  }
  const load = once(async () => {
    const bytes = await readGuide('agents')
    return { bytes, id: createHash('sha256').update(bytes).digest('hex') }
  })
  app.get('/agents.md', { schema }, async (_request, reply) => {
    const { bytes, id } = await load()
    reply.header('cache-control', 'no-cache')
    sendEntity(reply, id, () => bytes, '', undefined, `${TYPE}; charset=utf-8`)
    return reply
  })
}
