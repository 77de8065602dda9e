/**
 * A disk that fails in the moment after a file was put in place: what stands there is ours, and no edit of a person.
 */
// It restores what it changes, so it shares its process (test/groups.mjs).
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Store } from '../../../src/store/store.ts'
import { eventually } from '../../contract/server.ts'

t.setTimeout(0)

const ANN = { name: 'Ann', email: 'ann@example.com' }
const GERMAN = 'web/locales/de/common.json'
const PROJECT = '{\n  "defaultFormat": "i18next-json",\n  "name": "Web",\n  "sourceLanguage": "en"\n}\n'
const bundle = (text: string) => `{\n  "a": "${text}"\n}\n`

const { lstatSync, unlinkSync } = fs
t.teardown(() => Object.assign(fs, { lstatSync, unlinkSync }))

for (const code of ['EACCES', 'EIO', 'EMFILE']) {
  for (const call of ['lstatSync of the file', 'lstatSync of a temporary file', 'unlinkSync of a temporary file']) {
    t.test(`${code} at ${call}`, async t => {
      const directory = t.testdir()
      const store = await Store.open({ directory })
      t.teardown(() => store.close())
      const at = join(directory, 'acme', GERMAN)
      const put = (path: string, text: string) =>
        store.write('acme', ANN, tx => ({ result: tx.put(path, Buffer.from(text)), message: { subject: 'put' } }))
      await put('web/project.json', PROJECT)
      await put(GERMAN, bundle('eins'))
      await store.flush()

      let newest: Promise<unknown> | undefined
      /** Fails once, when the second version stands there; the third one is written before anybody looks. */
      const failing = <Call extends typeof unlinkSync | typeof lstatSync>(name: string, original: Call) =>
        ((path: string, ...rest: [undefined]) => {
          const wanted = call === `${name} of ${path === at ? 'the file' : 'a temporary file'}`
          const isOurs = path === at || path.startsWith(join(directory, 'acme/.git/parlance/tmp/'))
          if (newest === undefined && wanted && isOurs && fs.readFileSync(at, 'utf8') === bundle('zwei')) {
            newest = put(GERMAN, bundle('drei'))
            throw Object.assign(new Error(`${code}, by the test`), { code })
          }
          return original(path, ...rest)
        }) as Call
      Object.assign(fs, {
        lstatSync: failing('lstatSync', lstatSync),
        unlinkSync: failing('unlinkSync', unlinkSync),
      })
      await put(GERMAN, bundle('zwei'))
      t.ok(await eventually(() => newest !== undefined), 'it was met')
      await newest
      t.ok(await eventually(() => fs.readFileSync(at, 'utf8') === bundle('drei')), 'the file follows')
      const head = () => store.read('acme', snapshot => snapshot.read(GERMAN)?.toString())
      t.equal(await head(), bundle('drei'), 'what was acknowledged last stays')
      t.same(store.status().problems, [])
      Object.assign(fs, { lstatSync, unlinkSync })
    })
  }
}
