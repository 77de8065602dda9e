/** Many new files in one seal: they are synced together, and their cost grows with their number alone. */
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Store } from '../../../src/store/store.ts'
import { newFolder } from '../../new-folder.ts'
import { processorTime } from '../../processor-time.ts'

t.setTimeout(0)

const ANN = { name: 'Ann', email: 'ann@example.com' }
const PROJECT = '{\n  "defaultFormat": "i18next-json",\n  "name": "Web",\n  "sourceLanguage": "en"\n}\n'

async function write(t: Test, paths: string[]) {
  const directory = newFolder(t)
  const store = await Store.open({ directory, maintenance: false })
  t.teardown(() => store.close())
  const put = (path: string) =>
    store.write('acme', ANN, tx => ({ result: tx.put(path, Buffer.from(PROJECT)), message: { subject: path } }))
  await put('web/project.json')
  await store.flush()
  await Promise.all(paths.map(put))
  await store.flush()
  for (const path of paths) {
    if (fs.readFileSync(join(directory, 'acme', path), 'utf8') !== PROJECT) t.fail(`${path} is not as written`)
  }
  t.same(fs.readdirSync(join(directory, 'acme/.git/parlance/tmp')), [], 'no temporary file is left')
  await store.close()
}

const projects = (count: number) => Array.from({ length: count }, (_, at) => `p${at}/project.json`)
const languages = (count: number) => Array.from({ length: count }, (_, at) => `web/locales/aa-x${at}/common.json`)

async function syncs(run: () => Promise<void>): Promise<number> {
  const { fsync } = fs
  let count = 0
  fs.fsync = ((...args: Parameters<typeof fsync>) => {
    count++
    fsync(...args)
  }) as typeof fsync
  try {
    await run()
  } finally {
    fs.fsync = fsync
  }
  return count
}

t.test('they are not synced one by one', { skip: process.platform !== 'linux' && 'as Linux can' }, async t => {
  for (const paths of [projects(400), languages(400)]) {
    const count = await syncs(() => write(t, paths))
    t.ok(count < paths.length / 2, `${count} syncs for ${paths.length} files`)
  }
})

t.test('where everything cannot be synced at once, each is', async t => {
  const { PATH } = process.env
  process.env.PATH = '/nowhere'
  t.teardown(() => {
    process.env.PATH = PATH
  })
  const paths = projects(100)
  const count = await syncs(() => write(t, paths))
  t.ok(count >= 2 * paths.length, `${count} syncs for ${paths.length} files and as many folders`)
})

t.test('what they cost does not grow faster than their number', async t => {
  const cost = async (count: number) => {
    const before = processorTime()
    await write(t, languages(count))
    return processorTime() - before
  }
  await cost(100)
  const [few, many] = [await cost(300), await cost(1200)]
  t.ok(many < few * 4 * 2.5, `${Math.round(many)} ms of 1,200 and ${Math.round(few)} ms of 300`)
})
