/** The clone's routes over a folder of repositories that nobody maintains meanwhile: what is cloned stays as it is. Its argument is that folder. */
import Fastify from 'fastify'
import type { Caller } from '../../../src/auth/access.ts'
import type { Auth } from '../../../src/auth/auth.ts'
import { leaveBodiesUnread } from '../../../src/http/body.ts'
import { BodyMemory } from '../../../src/http/body-memory.ts'
import { answerFailures } from '../../../src/http/errors.ts'
import { gitRoutes } from '../../../src/http/git.ts'
import { UploadPack } from '../../../src/store/git/upload-pack.ts'
import { Store } from '../../../src/store/store.ts'

const [directory = ''] = process.argv.slice(2)
const store = await Store.open({ directory, watch: false, maintenance: false })
const caller: Partial<Caller> = { kind: 'token', organization: 'acme', role: 'admin', scope: 'read' }
const auth = { tokens: { verify: () => caller } } as unknown as Auth
const app = Fastify()
leaveBodiesUnread(app)
answerFailures(app)
app.decorate('bodies', new BodyMemory(2 ** 30))
app.decorateRequest('caller', null)
app.setValidatorCompiler(() => value => ({ value }))
app.setSerializerCompiler(() => value => JSON.stringify(value))
gitRoutes(
  app,
  store,
  auth,
  new UploadPack({ processes: 4, log: { info() {}, warn: console.error, error: console.error } }),
)
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
process.on('SIGTERM', async () => {
  await app.close()
  await store.close()
  process.exit(0)
})
