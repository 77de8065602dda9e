/** The git routes without accounts: any token reads the organization `acme`. */
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import type { Caller } from '../../src/auth/access.ts'
import type { Auth } from '../../src/auth/auth.ts'
import { answerFailures } from '../../src/http/answers/errors.ts'
import { BodyMemory } from '../../src/http/bounds/body-memory.ts'
import { gitRoutes } from '../../src/http/git.ts'
import { checkRequests } from '../../src/http/requests/check-requests.ts'
import type { UploadPack } from '../../src/store/git/upload-pack.ts'
import type { Store } from '../../src/store/store.ts'

/**
 * Serves the git routes on a free port of 127.0.0.1 until `close`, which leaves the store open.
 * @param options as of {@link gitRoutes}
 */
export async function serveGitRoutes(store: Store, uploads: UploadPack, options?: Parameters<typeof gitRoutes>[4]) {
  const caller: Partial<Caller> = { kind: 'token', organization: 'acme', role: 'admin', scope: 'read' }
  const auth = { tokens: { verify: () => caller } } as unknown as Auth
  const app = Fastify()
  checkRequests(app)
  answerFailures(app)
  app.decorate('bodies', new BodyMemory(2 ** 30))
  app.decorateRequest('caller', null)
  app.setValidatorCompiler(() => value => ({ value }))
  app.setSerializerCompiler(() => value => JSON.stringify(value))
  gitRoutes(app, store, auth, uploads, options)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}
