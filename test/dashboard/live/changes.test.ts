/** The queries that a commit outdates. Own writes are not fetched again. */
import t from 'tap'
import { type LiveChange, OutdatedQueries, OwnWrites } from '../../../src/dashboard/live/changes.ts'

const change = (revision: string, project: string | null, ...names: string[]): LiveChange => ({
  revision,
  project,
  author: { name: 'Ann', email: 'ann@example.com' },
  date: '2026-11-22T09:30:00.000Z',
  subject: '',
  bundles: names.map(name => {
    const [language, namespace, slug] = name.split('/') as [string, string, string?]
    return { language, namespace, etag: `W/"${revision}${name}"`, ...(slug && { project: slug }) }
  }),
})

t.test('what a commit concerns', async t => {
  const outdated = new OutdatedQueries()
  outdated.add(change('1', 'web', 'de/common', 'de/cart'), new OwnWrites())
  outdated.add(change('2', null, 'fr/a/app', 'fr/b/site'), new OwnWrites())
  outdated.add(change('3', 'named'), new OwnWrites())
  const rows: [boolean, ...unknown[]][] = [
    [true, 'projects'],
    [true, 'project', 'web', 'bundle', 'de', 'common'],
    [true, 'project', 'web', 'bundle', 'de'],
    [false, 'project', 'web', 'bundle', 'de', 'other'],
    [false, 'project', 'web', 'bundle', 'en', 'common'],
    [true, 'project', 'web', 'status'],
    [true, 'project', 'web', 'status', 'fr'],
    [true, 'project', 'web', 'history', 'key', 'a'],
    [true, 'project', 'app', 'bundle', 'fr', 'a'],
    [false, 'project', 'site', 'bundle', 'fr', 'a'],
    [true, 'project', 'named', 'manifest'],
    [false, 'project', 'named', 'bundle', 'en', 'common'],
    [false, 'project', 'other', 'status'],
    [false, 'members'],
    [true, 'glossary'],
    [true, 'project', 'other', 'terms', 'en'],
  ]
  for (const [is, ...key] of rows) t.equal(outdated.concerns(key), is, key.join(' '))
  t.notOk(new OutdatedQueries().concerns(['projects']))
  const ofProject = new OutdatedQueries()
  ofProject.add(change('4', 'web'), new OwnWrites())
  t.notOk(ofProject.concerns(['glossary']), 'the glossary of the organization belongs to no project')
  t.ok(ofProject.concerns(['project', 'web', 'glossary']))
})

t.test('an own write is known by its revision, or by the bundle’s version', async t => {
  const own = new OwnWrites()
  await own.write(async note => {
    note('1')
    note('W/"2de/common"')
    note(null)
  })
  const outdated = new OutdatedQueries()
  outdated.add(change('1', 'web', 'de/cart'), own)
  outdated.add(change('2', 'web', 'de/common', 'de/other'), own)
  t.notOk(outdated.concerns(['project', 'web', 'bundle', 'de', 'cart']))
  t.notOk(outdated.concerns(['project', 'web', 'bundle', 'de', 'common']))
  t.ok(outdated.concerns(['project', 'web', 'bundle', 'de', 'other']))
  t.ok(outdated.concerns(['project', 'web', 'status']), 'its numbers are asked for')
})

for (const kind of ['notes', 'comments', 'glossary', 'terms']) {
  t.test(`${kind} are outdated by all commits but own saves of texts`, async t => {
    const own = new OwnWrites()
    await own.write(async note => note('1'))
    const concerned = (...commits: Parameters<OutdatedQueries['add']>[0][]) => {
      const outdated = new OutdatedQueries()
      for (const commit of commits) outdated.add(commit, own)
      return ['web', 'site'].map(slug => outdated.concerns(['project', slug, kind, 'common']))
    }
    t.strictSame(concerned(change('1', 'web', 'de/common')), [false, false], 'an own save')
    t.strictSame(concerned(change('2', 'web', 'de/common')), [true, false], 'another user’s: a rename moves notes')
    t.strictSame(concerned(change('3', 'web')), [true, false], 'neither notes nor a glossary have a bundle')
    // The terms of the organization may have changed.
    t.strictSame(concerned(change('4', null, 'fr/a/site')), [kind === 'terms', true])
  })
}

t.test('waits for the running writes, failed ones too', async t => {
  const own = new OwnWrites()
  t.equal(own.settled(), undefined)
  const { promise, reject } = Promise.withResolvers<void>()
  const write = own.write(() => promise)
  let settled = false
  const waiting = own.settled()!.then(() => (settled = true))
  await Promise.resolve()
  t.notOk(settled)
  reject(new Error('refused'))
  await t.rejects(write, { message: 'refused' })
  await waiting
  t.equal(own.settled(), undefined)
})
