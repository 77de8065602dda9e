/** The built server: modules of Node that an answer does not need are not loaded for it, and the others are whole. */
import { join } from 'node:path'
import t from 'tap'
import { addressOf, launch, start } from './process.ts'

/** Tells at the end which of Node's modules were loaded. */
const TELLING = `process.on('exit', () => console.log(process.moduleLoadList.join(' ')))`

t.test('the first answer waits neither for undici nor for http2', async t => {
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(TELLING)}`]
  const { child, exit, output } = launch(join(t.testdir(), 'data'), {}, { flags })
  const address = await addressOf({ exit, output }, 30_000)
  t.equal((await fetch(`${address}/api/health`)).status, 200)
  child.kill('SIGTERM')
  t.equal((await exit).code, 0)
  t.match(output(), /NativeModule _http_server/)
  t.notMatch(output(), /NativeModule \S*(undici|http2)/)
})

t.test('what is loaded late is whole', async t => {
  const { server } = await start(t, join(t.testdir(), 'data'))
  const { key } = await server.organization()
  await server.project(key, 'web')
})
