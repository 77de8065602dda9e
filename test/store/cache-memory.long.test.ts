import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { Store } from '../../src/store/store.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const BUNDLES = 600
const ANN = { name: 'Ann', email: 'ann@example.com' }

/** Bytes of buffers that are alive. Memory is freed a little after each collection, and the next one may find more. */
async function buffers(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let looks = 0; looks < 10; looks++) {
    collect()
    await new Promise(resolve => setTimeout(resolve, 20))
    least = Math.min(least, process.memoryUsage().arrayBuffers)
  }
  return least
}

t.test('small files in the cache need the memory that the cache counts', async t => {
  const cacheBytes = 2 ** 20
  const store = await Store.open({ directory: join(t.testdir(), 'organizations'), watch: false, cacheBytes })
  t.teardown(() => store.close())
  const path = (n: number) => `web/locales/de/n${n}.json`
  const put = (n: number) =>
    store.write('acme', ANN, tx => {
      tx.put(path(n), Buffer.from(`{\n  "key": "text of ${n}"\n}\n`))
      return { result: undefined, message: { subject: `put ${n}` } }
    })
  await put(0)
  await store.flush('acme')
  const before = await buffers()
  for (let n = 1; n <= BUNDLES; n++) {
    await put(n)
    // Every request allocates this beside it, and drops it.
    Buffer.from('x'.repeat(3000))
  }
  await store.flush('acme')
  const written = (await buffers()) - before
  t.ok(written <= cacheBytes, `${written} bytes after ${BUNDLES} writes, ${cacheBytes} allowed`)
  const first = (await store.write('acme', ANN, () => ({ result: undefined, message: { subject: '' } }))).revision!
  for (let n = 1; n <= BUNDLES; n++) {
    await store.read('acme', snapshot => snapshot.at(first).read(path(n)))
    Buffer.from('x'.repeat(3000))
  }
  const read = (await buffers()) - before
  t.ok(read <= cacheBytes, `${read} bytes after as many reads of the past`)
})
