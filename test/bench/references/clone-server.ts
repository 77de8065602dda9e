/** The clone's routes over a folder of repositories, without maintenance. Its argument is that folder. */
import { UploadPack } from '../../../src/store/git/upload-pack.ts'
import { Store } from '../../../src/store/store.ts'
import { serveGitRoutes } from '../../http/git-routes.ts'

const [directory = ''] = process.argv.slice(2)
const store = await Store.open({ directory, watch: false, maintenance: false })
const log = { info() {}, warn: console.error, error: console.error }
const { port, close } = await serveGitRoutes(store, new UploadPack({ processes: 4, log }))
console.log(`http://127.0.0.1:${port}`)
process.on('SIGTERM', async () => {
  await close()
  await store.close()
  process.exit(0)
})
