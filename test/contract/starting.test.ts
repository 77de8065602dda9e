/** The built server loads modules only when it needs them. */
import { join } from 'node:path'
import t from 'tap'
import { addressOf, launch, start } from './process.ts'

/** Prints the loaded modules of Node at exit. */
const TELLING = `process.on('exit', () => console.log(process.moduleLoadList.join(' ')))`

t.test('answers the first request without undici and http2', async t => {
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(TELLING)}`]
  const { child, exit, output } = launch(join(t.testdir(), 'data'), {}, { flags })
  const address = await addressOf({ exit, output })
  t.equal((await fetch(`${address}/api/health`)).status, 200)
  child.kill('SIGTERM')
  t.equal((await exit).code, 0)
  t.match(output(), /NativeModule _http_server/)
  t.notMatch(output(), /NativeModule \S*(undici|http2)/)
})

/** Prints the loaded modules of Parlance at exit. */
const TELLING_OURS = `import { registerHooks } from 'node:module'
  const names = []
  registerHooks({ resolve(name, context, next) { const found = next(name, context); names.push(found.url); return found } })
  process.on('exit', () => console.log(names.map(url => url.split('/').at(-1)).join(' ')))`

t.test('loads the modules of the cluster only in a cluster', async t => {
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(TELLING_OURS)}`]
  const alone = launch(join(t.testdir(), 'data'), {}, { flags })
  await addressOf(alone)
  alone.child.kill('SIGTERM')
  t.equal((await alone.exit).code, 0)
  const ofCluster = /\bcluster-\w+\.js/
  t.match(alone.output(), /\bserve-\w+\.js/)
  t.notMatch(alone.output(), ofCluster)
  t.notMatch(alone.output(), /\b(pg|postgres)[\w-]*\.js/)
  const settings = { CLUSTER: 'postgres://parlance@127.0.0.1:1/parlance', NODE_URL: 'http://127.0.0.1:3000' }
  const node = launch(join(t.testdirName, 'other'), settings, { flags })
  t.not((await node.exit).code, 0)
  t.match(node.output(), ofCluster)
})

t.test('serves the routes of modules that are loaded late', async t => {
  const { server } = await start(t, join(t.testdir(), 'data'))
  const { key } = await server.organization()
  await server.project(key, 'web')
})
