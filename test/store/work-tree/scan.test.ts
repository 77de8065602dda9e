import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { MarkerFile, type ScanOptions, scanWorkTree } from '../../../src/store/work-tree/scan.ts'
import { snapshotOf } from '../memory-head.ts'

const HEAD = {
  'web/project.json': 'project',
  'web/locales/en/common.json': 'common',
  'web/locales/en/home.json': 'home',
  'web/locales/de/common.json': 'common',
}

function open(t: Test, files: Record<string, string> = HEAD) {
  const root = t.testdir({})
  const save = (path: string, text: string) => {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true })
    fs.writeFileSync(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) save(path, text)
  const found = async (options: Partial<ScanOptions> = {}) => {
    const suspects: string[] = []
    await scanWorkTree({
      root,
      state: snapshotOf(HEAD),
      since: 0,
      within: '',
      suspect: path => void suspects.push(path),
      stopped: () => false,
      visited: () => {},
      ...options,
    })
    return suspects.sort()
  }
  return { root, save, found, at: (path: string) => join(root, path) }
}

t.test('a tree that equals HEAD has no suspects; every folder is visited', async t => {
  const { found, at } = open(t)
  const visited = async () => {
    const folders: string[] = []
    t.same(await found({ visited: folder => void folders.push(folder) }), [])
    return folders.sort()
  }
  const full = ['', 'web', 'web/locales', 'web/locales/de', 'web/locales/en']
  t.same(await visited(), full)
  for (const empty of ['app', 'new/locales', 'web/locales/fr']) fs.mkdirSync(at(empty), { recursive: true })
  t.same(await visited(), [...full, 'app', 'new', 'new/locales', 'web/locales/fr'].sort(), 'empty ones, too')
})

t.test('what is new, changed, gone or no plain file is a suspect; what is nothing of ours is not', async t => {
  const { save, found, at } = open(t)
  save('web/locales/en/common.json', 'changed')
  save('web/locales/fr/common.json', 'new')
  save('web/locales/de_DE/common.json', 'misnamed')
  save('app/project.json', 'new')
  fs.unlinkSync(at('web/locales/en/home.json'))
  fs.unlinkSync(at('web/locales/de/common.json'))
  fs.symlinkSync(at('web/locales/en/common.json'), at('web/locales/de/common.json'))
  save('README.md', 'x')
  save('web/locales/en/common.json~', 'x')
  save('.git/HEAD', 'x')
  t.same(await found(), [
    'app/project.json',
    'web/locales/de/common.json',
    'web/locales/de_DE/common.json',
    'web/locales/en/common.json',
    'web/locales/en/home.json',
    'web/locales/fr/common.json',
  ])
  t.same(await found({ within: 'web/locales/fr' }), ['web/locales/fr/common.json'])
})

t.test('a folder removed, or a link in its place: all that HEAD has there is suspect', async t => {
  const { found, at, root } = open(t)
  fs.renameSync(at('web'), join(root, '.elsewhere'))
  t.same(await found(), Object.keys(HEAD).sort())
  fs.symlinkSync(join(root, '.elsewhere'), at('web'))
  t.same(await found(), Object.keys(HEAD).sort())
})

t.test('with a marker, a file that was changed earlier is not opened', async t => {
  const { root, save, found, at } = open(t)
  const marker = new MarkerFile(join(root, '.git', 'parlance', 'scanned'))
  save('web/locales/en/common.json', 'changed before')
  const later = fs.lstatSync(at('web/locales/en/common.json')).ctimeMs + 1
  t.same(await found({ since: later }), [])
  t.same(await found({ since: (await marker.now()) - 60_000 }), ['web/locales/en/common.json'])
  await wait(20)
  save('web/locales/en/home.json', 'changed after')
  fs.utimesSync(at('web/locales/en/home.json'), 1, 1)
  fs.unlinkSync(at('web/locales/de/common.json'))
  t.same(await found({ since: later }), ['web/locales/de/common.json', 'web/locales/en/home.json'])
})

t.test('it can be stopped, and waits for the receiver of the suspects', async t => {
  const { found } = open(t, {})
  let taken = 0
  const some = await found({ stopped: () => taken > 0, suspect: () => void taken++ })
  t.same(some, [])
  t.ok(taken < Object.keys(HEAD).length, `${taken} taken`)
  let waiting = 0
  await found({
    suspect: async () => {
      t.equal(++waiting, 1)
      await wait(5)
      waiting--
    },
  })
})

t.test('the marker is stored, and one that cannot be read counts as none', async t => {
  const root = t.testdir({})
  const path = join(root, 'parlance', 'scanned')
  const file = new MarkerFile(path)
  t.equal(await file.read(), undefined)
  const at = await file.now()
  t.ok(at < fs.lstatSync(`${path}.tmp`).ctimeMs)
  const marker = { at, revision: 'a'.repeat(40), problems: ['web/locales/en/common.json'] }
  await file.write(marker)
  t.same(await file.read(), marker)
  for (const broken of ['{"at":', '{}', 'null', '']) {
    fs.writeFileSync(path, broken)
    t.equal(await file.read(), undefined, broken)
  }
})
