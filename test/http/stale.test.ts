/** The stale notes when people change the files. For all other changes: `stale.long.test.ts`. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { eventually, startServer } from '../contract/server.ts'

const url = '/api/projects/web'
const bundle = (of: string) => `${url}/bundles/${of}/common`

t.test('updates the stale notes when people change files', async t => {
  let server = await startServer(t, { dataDir: `${t.testdir()}/outside` })
  const { id, key } = await server.organization()
  await server.project(key, 'web')
  const folder = server.repository(id)
  const at = (path: string) => join(folder, 'web', path)
  const write = (path: string, content: object) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), JSON.stringify(content))
  }
  const notes = () => {
    const path = 'web/stale/common.json'
    return server.git(id, 'ls-tree', 'HEAD', path) === '' ? {} : JSON.parse(server.git(id, 'show', `HEAD:${path}`))
  }
  const become = async (expected: object, what: string) => {
    await eventually(() => JSON.stringify(notes()) === JSON.stringify(expected))
    t.strictSame(notes(), expected, what)
  }
  await server.put(bundle('en'), key, { a: 'A', b: 'B' })
  await server.put(bundle('de'), key, { a: 'AA', b: 'BB' })
  await eventually(() => existsSync(at('locales/de/common.json')))

  write('locales/en/common.json', { a: 'A2', b: 'B' })
  await become({ a: [{ source: 'A', languages: ['de'] }] }, 'an edit of the source')
  write('locales/de/common.json', { a: 'AA', b: 'BB2' })
  write('locales/en/common.json', { a: 'A2', b: 'B2' })
  const textOf = async (language: string) => (await server.get(bundle(language), key)).json.b
  await eventually(async () => (await textOf('de')) === 'BB2' && (await textOf('en')) === 'B2')
  await become({ a: [{ source: 'A', languages: ['de'] }] }, 'source and translation at once')
  write('stale/common.json', { b: [{ source: 'X', languages: ['de'] }] })
  await server.put(`${bundle('en')}/b`, key, { value: 'B3' })
  await become(
    { a: [{ source: 'A', languages: ['de'] }], b: [{ source: 'B2', languages: ['de'] }] },
    'only the server writes notes',
  )
  const isShown = () => isDeepStrictEqual(JSON.parse(readFileSync(at('stale/common.json'), 'utf8')), notes())
  t.ok(await eventually(isShown), 'the work tree shows the notes again')
  await server.close()

  const commit = (subject: string) => {
    server.git(id, 'add', '-A')
    server.git(id, '-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '-qm', subject)
  }
  write('locales/en/common.json', { a: 'A', b: 'B3' })
  commit('the first source is back')
  write('locales/fr/common.json', { a: 'AAA' })
  write('stale/common.json', { b: [{ source: 'X', languages: ['de'] }] })
  commit('a write of the server')
  server = await startServer(t, { dataDir: server.dataDir })
  await server.get(bundle('en'), key)
  await become({ b: [{ source: 'B2', languages: ['de'] }] }, 'commits while the server was stopped')
  await server.close()

  write('locales/de/common.json', { a: 'AAAA', b: 'BB2' })
  commit('a translation of the source as it is')
  write('locales/en/common.json', { a: 'A4', b: 'B4' })
  commit('and that source changed')
  write('locales/en/common.json', { a: 'not', b: ['a'], 'b.c': 'bundle' })
  commit('an unreadable file')
  write('locales/en/common.json', { a: 'A5', b: 'B3' })
  write('locales/de/common.json', { a: 'AAAA', b: 'BB3' })
  commit('repaired, with another translation')
  server = await startServer(t, { dataDir: server.dataDir })
  await server.get(bundle('en'), key)
  await become({ a: [{ source: 'A', languages: ['de', 'fr'] }] }, 'one commit after the other')

  await server.must('POST', `${url}/confirm`, { key, body: { language: 'fr', namespace: 'common', keys: ['a'] } })
  await become({ a: [{ source: 'A', languages: ['de'] }] }, 'a confirmation')
  const confirmed = await server.newest(id)
  await server.close()
  rmSync(join(server.repository(id), '.git/parlance/head'))
  server = await startServer(t, { dataDir: server.dataDir })
  await server.get(bundle('en'), key)
  await become(
    { a: [{ source: 'A', languages: ['de'] }] },
    'a note stays when the server no longer knows the former source',
  )
  t.equal(await server.newest(id), confirmed, 'nothing is to be committed')
  await server.close()
  t.equal(server.git(id, 'status', '--porcelain'), '', 'the work tree shows the notes')
  t.strictSame(JSON.parse(readFileSync(at('stale/common.json'), 'utf8')), notes(), 'as they are')
})

t.test('updates the stale notes after commits that remove or break files while no server runs', async t => {
  let server = await startServer(t, { dataDir: `${t.testdir()}/stopped` })
  const { id, key } = await server.organization()
  await server.project(key, 'web')
  const folder = server.repository(id)
  const push = (of: string, body: object) => server.must('PUT', `${bundle(of)}?overwrite=true`, { key, body })
  const commits = async (...each: Record<string, string | null>[]) => {
    await server.newest(id)
    await server.close()
    for (const files of each) {
      for (const [of, text] of Object.entries(files)) {
        const path = join(folder, `web/locales/${of}/common.json`)
        if (text === null) rmSync(path)
        else writeFileSync(path, text)
      }
      server.git(id, 'add', '-A')
      server.git(id, '-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '-qm', 'by hand')
    }
    server = await startServer(t, { dataDir: server.dataDir })
    await server.newest(id)
    return server.git(id, 'ls-tree', '-r', '--name-only', 'HEAD', 'web/stale') === ''
      ? {}
      : JSON.parse(server.git(id, 'show', 'HEAD:web/stale/common.json'))
  }
  const made = async () => {
    await push('en', { q: 'one', z: 'z' })
    await push('de', { q: 'D' })
    await push('fr', { q: 'F' })
    await push('en', { q: 'two' })
  }
  await made()
  t.strictSame(await commits({ fr: null, de: '{"q":"D2"}' }, { de: '{"q":""}' }), {}, 'nothing is left to be stale')
  await made()
  const noted = { q: [{ source: 'one', languages: ['de', 'fr'] }] }
  t.strictSame(await commits({ de: '{"q": 5}' }, { fr: '{' }), noted, 'the served state still has its notes')
  t.strictSame((await server.get(bundle('de'), key)).json, { q: 'D' })
  await server.close()
})
