import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  DATA_VERSION,
  type MigrationStep,
  migrateDataFolder,
  readDataVersion,
  refuseNewer,
} from '../../src/store/data-folder.ts'
import { FaultyDisk } from '../long/faults/faulty-disk.ts'
import { newFolder } from '../new-folder.ts'

const text = (...path: string[]) => readFileSync(join(...path), 'utf8')

t.test('a new folder gets the present version, one from before there were versions too', async t => {
  const folder = t.testdir({ new: {}, old: { organizations: {}, 'parlance.sqlite': 'accounts' } })
  t.equal(readDataVersion(join(folder, 'new')), undefined)
  t.equal(readDataVersion(join(folder, 'old')), 0)
  for (const name of ['new', 'old']) {
    await migrateDataFolder(join(folder, name))
    t.equal(text(folder, name, 'version'), `${DATA_VERSION}\n`)
    await migrateDataFolder(join(folder, name))
    t.equal(readDataVersion(join(folder, name)), DATA_VERSION, 'and stays so')
  }
  t.same(readdirSync(join(folder, 'old')).sort(), ['organizations', 'parlance.sqlite', 'version'])
})

t.test('a newer one is refused with what to do, and left as it is', async t => {
  const folder = t.testdir({ version: `${DATA_VERSION + 1}\n`, organizations: {} })
  const sentence = new RegExp(
    `newer Parlance \\(version ${DATA_VERSION + 1}, this one knows ${DATA_VERSION}\\): run that one`,
  )
  t.throws(() => refuseNewer(folder), { code: 'unavailable', message: sentence })
  await t.rejects(migrateDataFolder(folder), { code: 'unavailable', message: sentence })
  t.equal(text(folder, 'version'), `${DATA_VERSION + 1}\n`)
})

t.test('a mark that is none stops the start', async t => {
  for (const version of ['', 'x', '1.5\n', '-1\n', '0\n', '1 \n', '\u0011\n', '1'.repeat(30)]) {
    const folder = newFolder(t, { version })
    t.throws(
      () => refuseNewer(folder),
      { code: 'unavailable', message: /in place of a version: if this Parlance/ },
      JSON.stringify(version),
    )
  }
})

/** Two versions further: texts become upper case, then get a full stop. */
const steps: MigrationStep[] = [
  { to: 1, changes: [], run: async () => {} },
  {
    to: 2,
    changes: ['text', 'absent'],
    run: async dataDir => writeFileSync(join(dataDir, 'text'), text(dataDir, 'text').toUpperCase()),
  },
  {
    to: 3,
    changes: ['text'],
    run: async dataDir => writeFileSync(join(dataDir, 'text'), text(dataDir, 'text').replace(/\.?$/, '.')),
  },
]

t.test('what a step changes is copied first', async t => {
  const folder = t.testdir({ organizations: {}, text: 'words' })
  await migrateDataFolder(folder, steps)
  t.equal(text(folder, 'text'), 'WORDS.')
  t.equal(text(folder, 'version'), '3\n')
  t.equal(text(folder, 'before-2', 'text'), 'words')
  t.equal(text(folder, 'before-3', 'text'), 'WORDS')
})

t.test('cut short anywhere, it is begun again where it was, and the state before stays', async t => {
  const root = t.testdir()
  let cuts = 0
  for (let number = 1; ; number++) {
    const folder = join(root, String(number))
    mkdirSync(join(folder, 'organizations'), { recursive: true })
    writeFileSync(join(folder, 'text'), 'words')
    const disk = new FaultyDisk(folder)
    // From there on nothing reaches the disk, as after a kill.
    disk.plan = call => (call.number >= number ? { code: 'EIO' } : undefined)
    const ended = await migrateDataFolder(folder, steps).then(
      () => true,
      () => false,
    )
    disk.stop()
    if (ended) break
    cuts++
    const version = readDataVersion(folder)!
    const words = text(folder, 'text')
    t.ok(['words', 'WORDS', 'WORDS.'].slice(Math.max(0, version - 1)).includes(words), `${words} in version ${version}`)
    if (words !== 'words') t.equal(text(folder, 'before-2', 'text'), 'words')
    await migrateDataFolder(folder, steps)
    t.equal(text(folder, 'text'), 'WORDS.')
    t.equal(text(folder, 'version'), '3\n')
    t.equal(text(folder, 'before-2', 'text'), 'words')
    t.notOk(existsSync(join(folder, 'before-2.tmp')))
  }
  t.ok(cuts > 15, `${cuts} cuts`)
})
