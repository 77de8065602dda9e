/** The launcher generates the API client of the dashboard before it checks or builds. */
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { check, makeClone } from './clone.ts'

t.test('check generates a missing or stale client and leaves a fresh one', async t => {
  const clone = makeClone(t)
  const at = (path: string) => join(clone, path)
  const runs = async () => {
    const { err } = await check(clone)
    t.notMatch(err, 'generate-client.mjs')
    return readFileSync(at('generated'), 'utf8').split('\n').length - 1
  }
  t.equal(await runs(), 1, 'a fresh clone has no client')
  t.equal(await runs(), 1, 'the client is fresh')

  rmSync(at('src/dashboard/api/client.ts'))
  t.equal(await runs(), 2, 'the client was deleted')

  writeFileSync(at('src/dashboard/app.tsx'), '')
  t.equal(await runs(), 2, 'the routes do not depend on the dashboard')

  writeFileSync(at('src/app.ts'), '')
  const later = Date.now() / 1000 + 1
  utimesSync(at('src/app.ts'), later, later)
  t.equal(await runs(), 3, 'a source file of the server is newer')
})

t.test('check fails when the client cannot be generated', async t => {
  const clone = makeClone(t)
  writeFileSync(join(clone, 'src/launch/generate-client.mjs'), "throw new Error('no routes')")
  const { code, err } = await check(clone)
  t.not(code, 0)
  t.match(err, /no routes[\s\S]*generate-client\.mjs failed: see above\./)
})
