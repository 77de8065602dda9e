/** What callers of a server hear when a byte on its disk was flipped: a sentence and 503, and never anything wrong. */
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Failure } from '../../src/bundle/errors.ts'
import {
  dataFolder,
  git,
  type Organization,
  type Reply,
  type Server,
  Session,
  startServer,
} from '../contract/server.ts'

/** How many bytes of SQLite are flipped, one after the other. */
const FLIPS = Number(process.env.FLIPS ?? 4)

t.setTimeout(0)

const BUNDLE = '/api/projects/web/bundles/en/common'
const bodyOf = (name: string) => ({ [name]: `text of ${name} ${'x'.repeat(600)}` })

/** A data folder with two organizations, each with a bundle and a release, at rest. */
async function madeFolder(t: Parameters<typeof startServer>[0]) {
  const dataDir = dataFolder(t)
  const server = await startServer(t, { dataDir })
  const organizations: Record<string, Organization> = {}
  for (const name of ['acme', 'other']) {
    const organization = await server.organization(name)
    await server.project(organization.key, 'web')
    await server.put(BUNDLE, organization.key, bodyOf(name))
    await server.must('POST', '/api/projects/web/releases', { key: organization.key, body: { name: 'v1' } })
    organizations[name] = organization
  }
  await server.close()
  return { dataDir, acme: organizations.acme!, other: organizations.other! }
}

function flip(path: string, at: number): void {
  const bytes = fs.readFileSync(path)
  bytes[at]! ^= 0x20
  fs.writeFileSync(path, bytes)
}

const READS = [BUNDLE, `${BUNDLE}?at=v1`, '/api/projects/web/bundles/en', '/api/projects/web', '/api/projects']

/** The pack with the text of a bundle, and the offset of the text. */
function findText(repository: string, id: string): { pack: string; at: number } {
  const packs = join(repository, '.git/objects/pack')
  for (const name of fs.readdirSync(packs).filter(name => name.endsWith('.idx'))) {
    const line = git(repository, 'verify-pack', '-v', join(packs, name))
      .split('\n')
      .find(line => line.startsWith(id))
    if (line) return { pack: join(packs, name.replace(/idx$/, 'pack')), at: Number(line.split(/\s+/)[4]) }
  }
  throw new Error(`no pack holds ${id}`)
}

t.test('returns 503 for a bundle with flipped bytes, serves the others, and reports it', async t => {
  const { dataDir, acme, other } = await madeFolder(t)
  const repository = join(dataDir, 'organizations', acme.id)
  const { pack, at } = findText(repository, git(repository, 'rev-parse', 'HEAD:web/locales/en/common.json').trim())
  flip(pack, at + 40)
  const lines: string[] = []
  const server = await startServer(t, {
    dataDir,
    env: { LOG_LEVEL: 'error' },
    log: { write: line => lines.push(line) },
  })
  for (const path of [BUNDLE, `${BUNDLE}?at=v1`, '/api/projects/web/bundles/en']) {
    const reply = await server.get(path, acme.key)
    t.equal(reply.status, 503, `${path}: ${reply.text}`)
    t.match(reply.json, { error: /^Git object [0-9a-f]{40} cannot be read/ })
  }
  t.equal((await server.put(BUNDLE, acme.key, { later: 'x' })).status, 503, 'no write on top of the damage')
  t.equal((await server.get('/api/projects/web', acme.key)).status, 200, 'the undamaged project is served')
  t.match((await server.get('/api/health')).json, { status: 'degraded', problems: 1 })
  t.match(lines.join(''), /Git object [0-9a-f]{40} cannot be read/, 'the log names it')
  t.strictSame((await server.get(BUNDLE, other.key)).json, bodyOf('other'))
  t.equal((await server.put(BUNDLE, other.key, { later: 'x' })).status, 200)
})

/** With any flipped byte of SQLite, an answer must be right or an error. */
function judge(reply: Reply, right: (reply: Reply) => boolean): string | undefined {
  if (reply.status === 200) return right(reply) ? undefined : `200 with ${reply.text.slice(0, 100)}`
  if ([401, 403, 503].includes(reply.status) && typeof reply.json?.error === 'string') return undefined
  return `${reply.status} ${reply.text.slice(0, 100)}`
}

async function askAll(server: Server, acme: Organization, other: Organization): Promise<string[]> {
  const wrong: (string | undefined)[] = []
  for (const [name, { key, owner }] of Object.entries({ acme, other })) {
    const isOwn = ({ text }: Reply) => !text.includes(`text of ${name === 'acme' ? 'other' : 'acme'}`)
    for (const path of READS) wrong.push(judge(await server.get(path, key), isOwn))
    const session = Object.assign(new Session(), { password: owner.password, user: owner.user })
    for (const cookie of owner.cookies) session.cookies.set(...cookie)
    wrong.push(judge(await server.call('GET', '/api/tokens', { as: session }), isOwn))
    wrong.push(judge(await server.signIn(owner.user.email, owner.password), () => true))
  }
  return wrong.filter(what => what !== undefined)
}

t.test('returns no foreign data and no 500 when a byte of SQLite is flipped', async t => {
  const { dataDir, acme, other } = await madeFolder(t)
  const file = join(dataDir, 'parlance.sqlite')
  const good = fs.readFileSync(file)
  let refusedToStart = 0
  for (let n = 0; n < FLIPS; n++) {
    for (const name of ['parlance.sqlite-wal', 'parlance.sqlite-shm']) fs.rmSync(join(dataDir, name), { force: true })
    fs.writeFileSync(file, good)
    // The header, the first page's tree, and then evenly through the file.
    const at = n === 0 ? 3 : n === 1 ? 101 : Math.floor((good.length / FLIPS) * n) + ((n * 97) % 400)
    flip(file, at)
    let server: Server | undefined
    try {
      server = await startServer(t, { dataDir })
    } catch (error) {
      refusedToStart++
      const { code } = error as { code?: string }
      t.ok(error instanceof Failure || code?.startsWith('SQLITE_'), `byte ${at} stops the start: ${error}`)
      continue
    }
    t.strictSame(await askAll(server, acme, other), [], `byte ${at}`)
    await server.close()
  }
  t.comment(`${refusedToStart} of ${FLIPS} starts were refused`)
  t.ok(refusedToStart > 0)
})

t.test('returns 503 with a sentence when SQLite is damaged under a running server, and serves cached data', async t => {
  const { dataDir, acme } = await madeFolder(t)
  const server = await startServer(t, { dataDir })
  t.equal((await server.get(BUNDLE, acme.key)).status, 200)
  const file = join(dataDir, 'parlance.sqlite')
  const size = fs.statSync(file).size
  // Without the knowledge of the server, all but the first page.
  const descriptor = fs.openSync(file, 'r+')
  fs.writeSync(descriptor, Buffer.alloc(size - 4096, 0x5a), 0, size - 4096, 4096)
  fs.closeSync(descriptor)
  const signIn = await server.signIn(acme.owner.user.email, acme.owner.password)
  t.ok([200, 503].includes(signIn.status), `${signIn.status} ${signIn.text}`)
  const unknown = await server.get(BUNDLE, `prl_${'x'.repeat(43)}`)
  t.ok([401, 503].includes(unknown.status), `${unknown.status} ${unknown.text}`)
  t.strictSame((await server.get(BUNDLE, acme.key)).json, bodyOf('acme'))
})
