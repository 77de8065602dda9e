/** Reading one key of a bundle, with its whole message. */
import type { FastifyInstance } from 'fastify'
import type { Message } from '../bundle/message.ts'
import { peel } from '../bundle/message.ts'
import { workOf } from '../bundle/work.ts'
import { bundleAt, missingKey, requireLanguage, requireProject } from '../project/layout.ts'
import { messageIn } from '../project/versions.ts'
import { json, sendRendered } from './answers/conditional.ts'
import { bundleOf, bundleUrl, KeyRow } from './bundles.ts'
import { pinnedStateOf } from './reading/pinned-state.ts'
import { atQuery, readAt } from './requests/at.ts'
import { type OfKey, reading } from './requests/shapes.ts'
import { LARGE } from './writing/change-runner.ts'

/** Adds the route to a scope behind `identify`. */
export function keyRoutes(app: FastifyInstance): void {
  const readKey = {
    tags: ['Bundles'],
    operationId: 'getKey',
    summary: 'One key with its whole message',
    description:
      'The name of a form is that of its key: `item_one` gives the plural `item`. The `ETag` is that of the bundle.',
    querystring: atQuery,
    ...reading(KeyRow.describe('The key and its message.'), 'not-found', 'unfit', 'too-large', 'unavailable'),
  }
  const config = { permission: 'read' } as const
  app.get<OfKey>(`${bundleUrl}/:key`, { schema: readKey, config }, (request, reply) => {
    const bundle = bundleOf(request)
    const name = request.params.key
    const { key } = peel(name)
    return readAt(reply, bundle.slug, snapshot => {
      const { id, exists, bytes } = bundleAt(snapshot, bundle)
      requireLanguage(snapshot, requireProject(snapshot, bundle.slug), bundle.language)
      if (!exists) throw missingKey(name, bundle)
      const row = (message: Message | null | undefined): Buffer => {
        if (message == null) throw missingKey(name, bundle)
        return json({ key, namespace: bundle.namespace, message })
      }
      const render = () => {
        const present = bytes()
        if (workOf(present) <= LARGE) return row(messageIn({ bytes: present, key }))
        const pinned = pinnedStateOf(request, snapshot)
        return pinned.compute('message', state => ({ bytes: bundleAt(state, bundle).bytes(), key })).then(row)
      }
      return sendRendered(reply, id, render, ` key ${bundle.namespace} ${key}`, { mayThrow: true })
    })
  })
}
