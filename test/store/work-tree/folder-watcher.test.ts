import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Background } from '../../../src/scheduling/background.ts'
import { SILENT } from '../../../src/store/log.ts'
import { FolderWatcher, WATCHED_FOLDERS } from '../../../src/store/work-tree/folder-watcher.ts'
import { random } from '../../random.ts'

const silently = { log: SILENT, background: new Background(SILENT) }

/** Does something again and again until it is heard of: watching begins a moment after it was asked for. */
async function hears(t: Test, heard: Set<string>, path: string, act: () => void): Promise<void> {
  heard.clear()
  for (let waited = 0; waited < 20_000 && !heard.has(path); waited += 50) {
    act()
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  t.ok(heard.has(path), `hears of ${path}`)
}

t.test('names what changes in a followed folder, and only there', async t => {
  const root = t.testdir({ a: { 'x.json': '' }, b: { 'x.json': '' } })
  const heard = new Set<string>()
  const watcher = new FolderWatcher(root, path => void heard.add(path), silently)
  t.teardown(() => watcher.close())
  t.equal(watcher.follow('a', false), true)
  t.equal(watcher.follow('a', false), false)
  await hears(t, heard, 'a/x.json', () => fs.writeFileSync(join(root, 'a', 'x.json'), 'changed'))
  await hears(t, heard, 'a/new.json', () => {
    fs.writeFileSync(join(root, 'a', 'tmp'), '')
    fs.renameSync(join(root, 'a', 'tmp'), join(root, 'a', 'new.json'))
  })
  heard.clear()
  fs.writeFileSync(join(root, 'b', 'x.json'), 'changed')
  await hears(t, heard, 'a/x.json', () => fs.unlinkSync(join(root, 'a', 'x.json')))
  t.notOk([...heard].some(path => path.startsWith('b')))
})

t.test('a change of one file costs no look at the others', async t => {
  const names = Array.from({ length: 2_000 }, (_, at) => `n${at}.json`)
  const root = t.testdir({ a: Object.fromEntries(names.map(name => [name, ''])) })
  const heard = new Set<string>()
  const watcher = new FolderWatcher(root, path => void heard.add(path), silently)
  t.teardown(() => watcher.close())
  watcher.follow('a', false)
  await hears(t, heard, 'a/n1.json', () => fs.writeFileSync(join(root, 'a', 'n1.json'), `${random()}`))
  let looks = 0
  const [end, latest] = [performance.now() + 300, performance.now() + 20_000]
  for (
    fs.writeFileSync(join(root, 'a', 'n2.json'), 'x');
    performance.now() < (heard.has('a/n2.json') ? end : latest);
  ) {
    if (process.getActiveResourcesInfo().some(name => name.startsWith('FSReq'))) looks++
    await new Promise(resolve => setImmediate(resolve))
  }
  t.ok(heard.has('a/n2.json'))
  t.equal(looks, 0, 'nothing is asked of the file system')
})

t.test('a folder that is created again is followed after forgetting the old one', async t => {
  const root = t.testdir({ a: {} })
  const heard = new Set<string>()
  const watcher = new FolderWatcher(root, path => void heard.add(path), silently)
  t.teardown(() => watcher.close())
  watcher.follow('', false)
  watcher.follow('a', false)
  await hears(t, heard, 'a/x.json', () => fs.writeFileSync(join(root, 'a', 'x.json'), `${random()}`))
  fs.rmSync(join(root, 'a'), { recursive: true })
  await hears(t, heard, 'a', () => {
    fs.rmSync(join(root, 'a'), { recursive: true, force: true })
    fs.mkdirSync(join(root, 'a'))
  })
  watcher.forget('a')
  t.equal(watcher.follow('a', false), true)
  await hears(t, heard, 'a/x.json', () => fs.writeFileSync(join(root, 'a', 'x.json'), `${random()}`))
})

t.test('the number of folders is bounded in the process; one in use replaces the oldest', async t => {
  const names = Array.from({ length: WATCHED_FOLDERS + 1 }, (_, i) => `f${i}`)
  const root = t.testdir(Object.fromEntries(names.map(name => [name, {}])))
  const heard = new Set<string>()
  const [first, second] = [0, 1].map(() => new FolderWatcher(root, path => void heard.add(path), silently))
  t.teardown(() => Promise.all([first!.close(), second!.close()]))
  for (const name of names.slice(0, -1)) first!.follow(name, false)
  const last = names.at(-1)!
  t.equal(first!.follow(last, false), false)
  t.equal(second!.follow(last, true), false, 'another work tree does not remove it')
  t.equal(first!.follow(last, true), true)
  await hears(t, heard, `${last}/x`, () => fs.writeFileSync(join(root, last, 'x'), `${random()}`))
  await first!.close()
  t.equal(second!.follow(last, false), true, 'closing makes room')
})
