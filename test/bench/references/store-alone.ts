/** The store without a server: writers change one key of a bundle after another; prints commits per second. */
import { setTimeout as pause } from 'node:timers/promises'
import { Store } from '../../../src/store/store.ts'
import { resourceOf } from '../parlance.ts'

const [directory = '', writers = '1', bundles = '1', organizations = '1', milliseconds = '1000'] = process.argv.slice(2)
/** Until new repositories are sealed and indexed. */
const SETTLED_MS = 1_500
/** Until the code is compiled, as a server's is. */
const WARM_MS = 200
const ANN = { name: 'Ann', email: 'ann@example.com' }
const store = await Store.open({ directory, watch: false })
const bytes = Buffer.from(`${JSON.stringify(resourceOf(225), null, 2)}\n`)
const counter = bytes.indexOf('Translated')
let count = 0

function write(): Promise<unknown> {
  const number = count++
  const path = `web/locales/en/n${number % Number(bundles)}.json`
  const next = Buffer.allocUnsafe(bytes.length)
  bytes.copy(next)
  next.write(String(number).padStart(10, '0'), counter)
  return store.write(`org${number % Number(organizations)}`, ANN, transaction => {
    transaction.read(path)
    transaction.put(path, next)
    return { result: path, message: { subject: 'web en/n0: update', trailers: [['Parlance-Updated', '1']] } }
  })
}

async function writeFor(milliseconds: number): Promise<number> {
  count = 0
  const from = performance.now()
  const writer = async () => {
    while (performance.now() - from < milliseconds) await write()
  }
  await Promise.all(Array.from({ length: Number(writers) }, writer))
  return (count / (performance.now() - from)) * 1000
}

// The first write of an organization creates its repository, and starts work that must end first.
await Promise.all(Array.from({ length: Math.max(Number(bundles), Number(organizations)) }, write))
if (Number(organizations) > 1) await pause(SETTLED_MS)
await writeFor(WARM_MS)
console.log(await writeFor(Number(milliseconds)))
await store.close()
