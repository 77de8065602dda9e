/** Receives undescribed answers in several ways and passes. For answers-described.test.ts. */
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { openWeb } from './contract/server.ts'

t.test('passes with undescribed answers', async t => {
  let app: FastifyInstance | undefined
  let routed = 0
  subscribe('fastify.initialization', message => {
    app ??= (message as { fastify: FastifyInstance }).fastify
    app.addHook('onRequest', async (request, reply) => {
      routed++
      if (request.url.endsWith('?status')) return reply.code(418).send({ error: 'A teapot.' })
      if (request.url.endsWith('?length')) return reply.type('application/json').send('"'.padEnd(300_000, 'x'))
      return undefined
    })
    app.addHook('onSend', async (request, reply, body) => {
      if (request.url.endsWith('?header')) reply.header('x-new', '1')
      return request.url.endsWith('?shape') ? '{"projects":[{}]}' : body
    })
  })
  const { server, acme } = await openWeb(t)
  const get = async (query: string) => {
    const options = { headers: { 'x-api-key': acme.key }, agent: false }
    const [response] = await once(request(`${server.base}/api/projects?${query}`, options).end(), 'response')
    await once(response.resume(), 'end')
    return response as IncomingMessage
  }
  t.equal((await app!.inject('/api/projects?status')).statusCode, 418)
  t.equal((await get('length')).statusCode, 200)
  t.equal((await get('header')).statusCode, 200)
  t.equal((await get('shape')).statusCode, 200)
  t.equal((await get('plain')).statusCode, 200)
  subscribe('http.server.request.start', message => {
    const { response } = message as { response: ServerResponse }
    response.setHeader('x-repeated', '1')
  })
  const before = routed
  t.equal((await get('plain')).headers['x-repeated'], '1')
  t.equal(routed, before, 'an answer of the answer cache')
})
