/** HTTP requests between nodes. Other clients get the answer for an unknown path. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClusterNode } from './cluster-node.ts'
import { HEARD_PATH, NODE_HEADER, REPOSITORIES_PATH, readNews } from './peers.ts'

/** See {@link peerRoutes}. */
export interface PeerRoutesOptions {
  node: Pick<ClusterNode, 'id' | 'receive'>
  secret: string
  /** Answers with an organization's repository as a git bundle. */
  bundle: (organization: string, response: ServerResponse) => Promise<void>
}

/** News of all organizations at once: 10,000 of them. */
const LONGEST_NEWS = 1024 * 1024

/** @returns a handler of such requests; it returns false for other requests, and without the secret */
export function peerRoutes({ node, secret, bundle }: PeerRoutesOptions) {
  const wanted = digest(`Bearer ${secret}`)
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { url = '' } = request
    // First: every request passes here, and Node parses the headers at their first use.
    if (!url.startsWith('/cluster/')) return false
    const { method, headers } = request
    if (!timingSafeEqual(digest(headers.authorization ?? ''), wanted)) return false
    const fail = () => (response.headersSent ? response.destroy() : response.writeHead(503).end())
    if (method === 'POST' && url === HEARD_PATH) {
      // Another process was here, and is gone.
      if (headers[NODE_HEADER] !== node.id) response.writeHead(410).end()
      else hear(request, node).then(() => response.writeHead(204).end(), fail)
      return true
    }
    if (method !== 'GET' || !url.startsWith(REPOSITORIES_PATH)) return false
    bundle(url.slice(REPOSITORIES_PATH.length), response).catch(fail)
    return true
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()

async function hear(request: IncomingMessage, node: Pick<ClusterNode, 'receive'>): Promise<void> {
  let text = ''
  for await (const part of request.setEncoding('latin1')) {
    text += part
    if (text.length > LONGEST_NEWS) throw new Error('The news are too long.')
  }
  await node.receive(readNews(text))
}
