/** First steps of a new user with git: clones under load, files in an app, undone mistakes, strangers, backups. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createInstance } from 'i18next'
import Backend, { type FsBackendOptions } from 'i18next-fs-backend'
import t from 'tap'
import { build, main } from '../bundled.ts'
import { isSound, kill, start } from '../contract/process.ts'
import { eventually, git, type Organization, type Server, startServer } from '../contract/server.ts'
import { git as client, type Finished, must, noGit } from '../http/git-client.ts'
import { standInForSsh } from '../store/backup/ssh-stand-in.ts'

t.setTimeout(0)

const LANGUAGES = 'en,de,fr,pl,it,es,cs,ja,ko,zh,nl,sv,da,nb,fi,hu,ro,bg,el,tr,uk,ru,he,ar,th,vi,id,pt,sk,hr'.split(',')
/** How long the second clone follows. */
const FOLLOW_MS = 5_000

/** Where git finds the organization; without a token it has to ask. */
function address(server: Server, key?: string): string {
  const { host } = new URL(server.base)
  return `http://${key === undefined ? '' : `x:${key}@`}${host}/api/translations.git`
}

async function furnish(server: Server) {
  const acme = await server.organization()
  return { server, acme, web: await server.project(acme.key, 'web') }
}

/** Key and number of the newest acknowledged write of each place. */
type Acknowledged = Map<string, number>

/** Writers, each at a key of its own with ever larger numbers, until they are stopped or the server is gone. */
function write(server: Server, { key }: Organization, writers: number) {
  const acknowledged: Acknowledged = new Map()
  const refused: string[] = []
  let going = true
  const lane = async (n: number) => {
    const place = `${LANGUAGES[n % 8]}/ns${n % 5}`
    for (let i = 0; going; i++) {
      const name = `w${n}.k${i % 3}`
      try {
        const reply = await server.put(`/api/projects/web/bundles/${place}/${name}`, key, { value: String(i) })
        if (reply.status === 200) acknowledged.set(`${place} ${name}`, i)
        else refused.push(`${reply.status} ${reply.text}`)
      } catch {
        return
      }
    }
  }
  const lanes = Array.from({ length: writers }, (_, n) => lane(n))
  const stop = async () => {
    going = false
    await Promise.all(lanes)
  }
  return { acknowledged, refused, stop }
}

/** The places with a missing text, or one older than the acknowledged one. */
async function behind(acknowledged: Acknowledged, read: (place: string) => unknown): Promise<string[]> {
  const missing: string[] = []
  for (const [where, number] of acknowledged) {
    const [place = '', name = ''] = where.split(' ')
    const [outer = '', inner = ''] = name.split('.')
    const bundle = (await read(place)) as Record<string, Record<string, string>>
    const text = bundle?.[outer]?.[inner]
    if (text === undefined || Number(text) < number) missing.push(`${where}: ${number} acknowledged, ${text} there`)
  }
  return missing
}

const fileIn = (clone: string) => (place: string) =>
  JSON.parse(readFileSync(join(clone, `web/locales/${place}.json`), 'utf8'))

t.test(
  'clones every acknowledged write while 64 clients write, with sound log, blame and fsck',
  { skip: noGit },
  async t => {
    const folder = t.testdir()
    const { server, acme } = await furnish((await start(t, join(folder, 'data'))).server)
    const writers = write(server, acme, 64)
    await eventually(() => writers.acknowledged.size >= 64)
    const before = new Map(writers.acknowledged)
    const clone = join(folder, 'clone')
    await must(['clone', '-q', address(server, acme.key), clone])
    await writers.stop()
    t.strictSame(writers.refused, [], 'no write is refused meanwhile')
    t.ok(before.size >= 64, `${before.size} keys written before`)
    t.strictSame(await behind(before, fileIn(clone)), [], 'nothing acknowledged is missing')
    isSound(t, clone, 'the clone')
    const [author, subject] = git(clone, 'log', '-1', '--format=%an%n%s', '--', 'web/locales/pl').trim().split('\n')
    t.equal(author, 'ci', 'the author is the token')
    t.match(subject, /^web pl\/ns\d: (add|update) w\d+\.k\d$/)

    const own = '/api/projects/web/bundles/pl/own'
    await server.must('PUT', own, { key: acme.key, body: { greeting: 'Hej', zebra: 'Zebra' } })
    await server.must('PUT', `${own}/greeting`, { as: acme.owner, body: { value: 'Cześć' } })
    await must(['pull', '-q'], { cwd: clone })
    const blame = git(clone, 'blame', '--line-porcelain', 'web/locales/pl/own.json')
    const authors = [...blame.matchAll(/^author (.*)$[\s\S]*?^\t(.*)$/gm)].map(([, name, line]) => [line?.trim(), name])
    t.strictSame(
      authors,
      [
        ['{', 'ci'],
        ['"greeting": "Cześć",', 'Ann'],
        ['"zebra": "Zebra"', 'ci'],
        ['}', 'ci'],
      ],
      'each line is blamed on its author',
    )
  },
)

t.test('clones files that i18next-fs-backend reads', { skip: noGit }, async t => {
  const folder = t.testdir()
  const { server, acme, web } = await furnish(await startServer(t, { dataDir: join(folder, 'data') }))
  await server.must('PUT', `${web}/bundles/en/common`, { key: acme.key, body: english })
  await server.must('PUT', `${web}/bundles/pl/common`, { key: acme.key, body: polish })
  const { key } = await server.mint(acme.owner, 'reader', 'read')
  const clone = join(folder, 'clone')
  await must(['clone', '-q', address(server, key), clone])
  const app = createInstance()
  await app.use(Backend).init<FsBackendOptions>({
    lng: 'pl',
    fallbackLng: 'en',
    preload: ['en', 'pl'],
    ns: ['common'],
    defaultNS: 'common',
    backend: { loadPath: join(clone, 'web/locales/{{lng}}/{{ns}}.json') },
  })
  const counted = [1, 2, 5, 22, 1.5].map(count => app.t('item', { count }))
  t.strictSame(counted, ['1 produkt', '2 produkty', '5 produktów', '22 produkty', '1.5 produktu'])
  const friends = ['male', 'female', undefined].map(context => app.t('friend', { context }))
  t.strictSame(friends, ['Kolega', 'Koleżanka', 'A friend'], 'contexts, and English where Polish has none')
  t.equal(app.t('nav.home'), 'Start')
  t.equal(app.t('hello'), 'Witamy w Acme: 5 produktów', 'nesting, also into a plural')
  const places = [1, 2, 3, 4, 22].map(count => app.t('place', { count, ordinal: true, lng: 'en' }))
  t.strictSame(places, ['1st', '2nd', '3rd', '4th', '22nd'])
})

const english = {
  nav: { home: 'Home' },
  item_one: '{{count}} item',
  item_other: '{{count}} items',
  friend: 'A friend',
  place_ordinal_one: '{{count}}st',
  place_ordinal_two: '{{count}}nd',
  place_ordinal_few: '{{count}}rd',
  place_ordinal_other: '{{count}}th',
  brand: 'Acme',
}
const polish = {
  nav: { home: 'Start' },
  item_one: '{{count}} produkt',
  item_few: '{{count}} produkty',
  item_many: '{{count}} produktów',
  item_other: '{{count}} produktu',
  friend_male: 'Kolega',
  friend_female: 'Koleżanka',
  hello: 'Witamy w $t(brand): $t(item, {"count": 5})',
}

t.test('restores a deleted project, and a key broken in 30 languages', { skip: noGit }, async t => {
  const folder = t.testdir()
  const { server, acme, web } = await furnish(await startServer(t, { dataDir: join(folder, 'data') }))
  for (const language of LANGUAGES) {
    const body = { nav: { home: `Home ${language}`, other: 'x' } }
    await server.must('PUT', `${web}/bundles/${language}/common`, { key: acme.key, body })
  }
  const places = [web, `${web}/bundles/pl`, ...LANGUAGES.map(language => `${web}/bundles/${language}/common`)]
  const look = async () => {
    const replies = await Promise.all(places.map(place => server.get(place, acme.key)))
    return replies.map(({ status, headers, text }) => [status, headers.etag, text])
  }
  const newest = async (n: number) => (await server.get(`${web}/history`, acme.key)).json.revisions[n].revision
  const good = await look()

  t.equal((await server.call('DELETE', web, { key: acme.key })).status, 204)
  t.equal((await server.get(web, acme.key)).status, 404)
  const back = await server.post(`${web}/restore`, acme.key, { at: await newest(1) })
  t.match(back.json, { added: 60, updated: 0, removed: 0, dryRun: false }, back.text)
  t.strictSame(await look(), good, 'the same bytes and entity tags')

  const revision = await newest(0)
  const break_ = (language: string) =>
    server.must('PUT', `${web}/bundles/${language}/common/nav.home`, { key: acme.key, body: { value: 'oops' } })
  for (const language of LANGUAGES) await break_(language)
  await server.must('PUT', `${web}/bundles/de/common/nav.other`, { key: acme.key, body: { value: 'later' } })
  const broken = await server.commits(acme.id)
  const mended = await server.post(`${web}/restore`, acme.key, { at: revision, namespace: 'common', key: 'nav.home' })
  t.match(mended.json, { added: 0, updated: LANGUAGES.length, removed: 0 }, mended.text)
  t.equal(await server.commits(acme.id), broken + 1, 'one commit')
  for (const language of LANGUAGES) {
    const other = language === 'de' ? 'later' : 'x'
    const { json } = await server.get(`${web}/bundles/${language}/common`, acme.key)
    t.strictSame(json, { nav: { home: `Home ${language}`, other } }, `${language}: what was done since stays`)
  }
  isSound(t, server.repository(acme.id), 'afterwards')
})

t.test('allows clones with the right, and no push', { skip: noGit }, async t => {
  const folder = t.testdir()
  const { server, acme, web } = await furnish(await startServer(t, { dataDir: join(folder, 'data') }))
  await server.must('PUT', `${web}/bundles/en/common/secret`, { key: acme.key, body: { value: 'of Acme' } })
  const rival = await server.organization('Rita')
  await server.project(rival.key, 'theirs')
  const clone = (name: string, from: string, options: string[] = []) =>
    client([...options, 'clone', '-q', from, join(folder, name)])

  t.equal((await clone('theirs', address(server, rival.key))).code, 0)
  t.strictSame(readdirSync(join(folder, 'theirs')).sort(), ['.git', 'theirs'], 'a token has its own organization')
  t.equal(git(join(folder, 'theirs'), 'rev-list', '--count', '--all').trim(), '1', 'and no commit of another')

  const gone = await server.mint(acme.owner, 'gone')
  await server.must('DELETE', `/api/tokens/${gone.id}`, { as: acme.owner })
  const revoked = await clone('gone', address(server, gone.key))
  const unknown = await clone('unknown', address(server, `prl_${'A'.repeat(43)}`))
  for (const { code, says } of [revoked, unknown]) {
    t.not(code, 0)
    t.match(says, 'remote: The API token is unknown, expired or revoked.')
  }
  const nobody = await clone('nobody', address(server))
  t.not(nobody.code, 0)
  t.match(nobody.says, /could not read Username/, 'git asks who it is')
  for (const name of ['gone', 'unknown', 'nobody']) t.notOk(existsSync(join(folder, name)), `${name}: nothing`)

  const { key } = await server.mint(acme.owner, 'reader', 'read')
  const header = ['-c', `http.extraHeader=x-api-key: ${key}`]
  t.equal((await clone('reader', address(server), header)).code, 0, 'a read token is enough, in the header too')
  const cwd = join(folder, 'reader')
  await must(['-c', 'user.name=A', '-c', 'user.email=a@b.example', 'commit', '-q', '--allow-empty', '-m', 'x'], { cwd })
  for (const token of [acme.key, key]) {
    const { code, says }: Finished = await client(['push', address(server, token), 'main'], { cwd })
    t.not(code, 0)
    t.match(says, /remote: This repository is read-only over git: write through the API/)
    t.match(says, 'error: 403')
  }
})

/** The whole of what an app may see, to be compared. */
async function shoot(server: Server, key: string, revision: string) {
  const past = `?at=${revision}`
  const paths = ['', '/bundles/en', '/bundles/en/ns0', '/releases', '/history?limit=5', '/bundles/en/ns0?at=v1']
  const replies = await Promise.all(
    [...paths, past, `/bundles/en/ns0${past}`].map(path => server.get(`/api/projects/web${path}`, key)),
  )
  return replies.map(({ status, headers, text }) => [status, headers.etag, headers['cache-control'], text])
}

t.test(
  'restores from the backup after a kill during a push and the loss of the data folder',
  { skip: noGit },
  async t => {
    const folder = t.testdir()
    const BACKUP_REMOTE = join(folder, 'remote/{organization}.git')
    let run = await start(t, join(folder, 'data'), { BACKUP_REMOTE })
    const { acme, web } = await furnish(run.server)
    let { server } = run
    const repository = server.repository(acme.id)
    const remote = join(folder, `remote/${acme.id}.git`)
    const refs = (where: string) => git(where, 'for-each-ref', 'refs/heads/main', 'refs/tags')
    const same = () => refs(repository) !== '' && refs(repository) === refs(remote)
    const settled = () => eventually(() => existsSync(remote) && same())
    t.ok(await settled(), 'the first push')

    await kill(run)
    const hosted = standInForSsh(t, folder)(join(folder, 'remote'))
    run = await start(t, join(folder, 'data'), { BACKUP_REMOTE: hosted })
    server = run.server
    // A hook of the remote's says when a push is under way, and holds it there.
    const arrived = join(folder, 'arrived')
    const hook = join(remote, 'hooks/pre-receive')
    mkdirSync(dirname(hook), { recursive: true })
    writeFileSync(hook, `#!/bin/sh\ntouch "${arrived}"\nexec sleep 5\n`, { mode: 0o755 })
    await server.must('PUT', `${web}/bundles/en/ns0/first`, { key: acme.key, body: { value: 'the first' } })
    t.ok(await eventually(() => existsSync(arrived)), 'a push is under way')
    const writers = write(server, acme, 8)
    t.ok(await eventually(() => writers.acknowledged.size >= 16), 'and writes too')
    await kill(run)
    await writers.stop()
    rmSync(hook)
    isSound(t, repository, 'killed: the repository')
    isSound(t, remote, 'killed: the remote')
    run = await start(t, join(folder, 'data'), { BACKUP_REMOTE })
    server = run.server
    const read = async (place: string) => (await server.get(`${web}/bundles/${place}`, acme.key)).json
    t.strictSame(await behind(writers.acknowledged, read), [], 'nothing acknowledged is lost')
    await server.must('POST', `${web}/releases`, { key: acme.key, body: { name: 'v1' } })
    await server.must('PUT', `${web}/bundles/en/ns0/last`, { key: acme.key, body: { value: 'the last' } })
    t.ok(await eventually(() => git(repository, 'tag') !== ''), 'the tag is there')
    t.ok(await settled(), 'the remote catches up')
    isSound(t, remote, 'the remote')

    const { json } = await server.get(`${web}/releases/v1`, acme.key)
    const before = await shoot(server, acme.key, json.revision)
    t.strictSame(
      before.map(([status]) => status),
      before.map(() => 200),
    )
    const { user, password } = acme.owner
    await server.close()
    renameSync(join(folder, 'data'), join(folder, 'lost'))
    const said = restore(BACKUP_REMOTE, join(folder, 'data'))
    t.equal(said.status, 0, said.stderr)
    run = await start(t, join(folder, 'data'))
    server = run.server
    t.strictSame(
      await shoot(server, acme.key, json.revision),
      before,
      'the same bytes, entity tags, revisions, releases',
    )
    t.equal((await server.signIn(user.email, password)).status, 200, 'the same people')
    await server.must('PUT', `${web}/bundles/en/ns0/next`, { key: acme.key, body: { value: 'goes on' } })
    t.ok(await eventually(() => git(repository, 'status', '--porcelain') === ''), 'the work tree is clean')
    isSound(t, repository, 'restored')
    await server.close()
    t.strictSame(leftovers(join(folder, 'data')), [], 'no temporary file is left')
  },
)

/** Runs `parlance server restore`. */
function restore(from: string, dataDir: string) {
  build()
  const words = [main, 'server', 'restore', '--from', from, '--data-dir', dataDir]
  return spawnSync(process.execPath, words, { encoding: 'utf8' })
}

/** Locks and temporary files below a folder. */
function leftovers(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter(name => /\.lock$|\.tmp$|\.new$|\/tmp_|-incoming|git-new|restoring/.test(name))
}

t.test('fetches new commits of a busy server into a second clone', { skip: noGit }, async t => {
  const folder = t.testdir()
  const { server, acme } = await furnish((await start(t, join(folder, 'data'))).server)
  const clone = join(folder, 'clone')
  await must(['clone', '-q', address(server, acme.key), clone])
  const writers = write(server, acme, 8)
  const pull = () => must(['pull', '-q', '--ff-only'], { cwd: clone })
  const end = performance.now() + FOLLOW_MS
  let pulls = 0
  for (; performance.now() < end; pulls++) {
    // Paces the pulls.
    await pause(1000)
    const before = new Map(writers.acknowledged)
    await pull()
    t.strictSame(await behind(before, fileIn(clone)), [], `pull ${pulls}: nothing acknowledged before is missing`)
  }
  await writers.stop()
  t.strictSame(writers.refused, [])
  await pull()
  const listed = git(clone, 'ls-files', '*/locales/*/*.json').trim().split('\n')
  t.ok(listed.length >= 8, `${listed.length} files`)
  for (const path of listed) {
    const [, slug, place] = /^([^/]+)\/locales\/(.+)\.json$/.exec(path)!
    const { bytes } = await server.get(`/api/projects/${slug}/bundles/${place}`, acme.key)
    t.ok(bytes.equals(readFileSync(join(clone, path))), `${path} is what the API serves`)
  }
  const repository = server.repository(acme.id)
  t.ok(await eventually(() => git(repository, 'status', '--porcelain') === ''), 'the work tree is clean')
  isSound(t, clone, 'the clone')
  isSound(t, repository, 'the repository')
  await server.close()
  t.strictSame(leftovers(join(folder, 'data')), [], 'no temporary file is left')
})
