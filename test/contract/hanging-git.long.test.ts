/** A git that is missing, too old or hangs: reads and writes work, and routes that need git fail in bounded time. */
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { start } from './process.ts'
import { dataFolder } from './server.ts'

t.setTimeout(0)

const WAYS = {
  missing: undefined,
  'too old': 'echo git version 2.20.1',
  hanging: 'exec sleep 600',
  failing: 'echo Bus error >&2; exit 135',
}

/** A PATH with the script as its only git, and all other programs. */
function pathWith(t: Test, dataDir: string, script: string | undefined): string {
  const folder = join(dataDir, '..', 'bin')
  fs.mkdirSync(folder)
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }))
  for (const name of ['sleep', 'echo', 'sh']) fs.symlinkSync(`/bin/${name}`, join(folder, name))
  if (script !== undefined) fs.writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return folder
}

/** GITS=all for each of them. */
const all = process.env.GITS === 'all'
// They mostly wait.
t.jobs = 2
for (const [way, script] of Object.entries(WAYS)) {
  if (!all && way !== 'hanging') continue
  t.test(`git ${way}`, { buffered: true }, async t => {
    const dataDir = dataFolder(t)
    fs.mkdirSync(dataDir, { recursive: true })
    const { server, child, exit, output } = await start(t, dataDir, { PATH: pathWith(t, dataDir, script) })
    const acme = await server.organization()
    const web = await server.project(acme.key, 'web')
    const began = performance.now()
    const bundle = `${web}/bundles/en/common`
    t.equal((await server.put(bundle, acme.key, { a: 'x' })).status, 200)
    t.strictSame((await server.get(bundle, acme.key)).json, { a: 'x' })
    t.equal((await server.post(`${web}/releases`, acme.key, { name: 'v1' })).status, 201)
    t.strictSame((await server.get(`${bundle}?at=v1`, acme.key)).json, { a: 'x' })
    t.equal((await server.get('/api/health')).status, 200)
    t.ok(performance.now() - began < 4_000, 'routes without git do not wait for it')
    const clone = '/api/translations.git/info/refs?service=git-upload-pack'
    for (const path of [`${web}/history`, clone]) {
      const reply = await server.get(path, acme.key)
      t.equal(reply.status, 501, `${path}: ${reply.text}`)
      t.match(reply.text, /git 2\.36 or newer/)
    }
    t.ok(performance.now() - began < 15_000, 'routes with git fail soon')
    child.kill('SIGTERM')
    t.equal((await exit).code, 0, output())
  })
}
