import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { git, must, noGit } from './git-client.ts'
import { exchange, isError, openScene, type Scene } from './server.ts'

const PATH = '/api/translations.git'
const REFS = `${PATH}/info/refs?service=git-upload-pack`
const UPLOAD = `${PATH}/git-upload-pack`
const REQUEST = { 'content-type': 'application/x-git-upload-pack-request' }
const FLUSH = '0000'

if (noGit) {
  t.plan(0, noGit)
  process.exit(0)
}

t.setTimeout(0)

let scene: Scene
let folder: string
t.before(async () => {
  scene = await openScene(t)
  const { server, acme, other } = scene
  await server.project(acme.key, 'web')
  for (const language of ['en', 'de', 'pl']) {
    for (const value of ['one', 'two']) {
      await server.must('PUT', `/api/projects/web/bundles/${language}/common/greeting`, {
        key: acme.key,
        body: { value },
      })
    }
  }
  await server.project(other.key, 'secret')
})
t.beforeEach(t => {
  folder = t.testdir()
})

const url = (key: string, path = PATH) => scene.server.base.replace('http://', `http://anyone:${key}@`) + path
const packet = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line
const log = (clone: string) => must(['-C', clone, 'log', '--format=%s'])

/** Asserts that a clone of the own organization is complete, sound and on main. */
async function clonesWhole(t: Test, argv: string[], into = 'clone') {
  const clone = join(folder, into)
  const { code, says } = await git([...argv, clone])
  t.equal(code, 0, says)
  t.equal((await must(['-C', clone, 'rev-parse', '--abbrev-ref', 'HEAD'])).trim(), 'main')
  t.equal(await must(['-C', clone, 'fsck', '--full', '--strict']), '')
  t.equal(readFileSync(join(clone, 'web/locales/de/common.json'), 'utf8'), '{\n  "greeting": "two"\n}\n')
  t.notOk(existsSync(join(clone, 'secret')), 'no file of another organization')
  return clone
}

t.test('clones with the token in the address, over each version of the protocol', async t => {
  for (const version of ['0', '1', '2']) {
    const config = ['-c', `protocol.version=${version}`]
    const clone = await clonesWhole(t, [...config, 'clone', '-q', url(scene.acme.key)], `v${version}`)
    t.equal((await log(clone)).trim().split('\n').length, 7, `protocol ${version}: one commit for each write`)
  }
})

t.test('clones with the token in a header, which wins over the address', async t => {
  const { server, acme, other } = scene
  const config = ['-c', `http.extraHeader=x-api-key: ${acme.key}`]
  await clonesWhole(t, [...config, 'clone', '-q', server.base + PATH])
  await clonesWhole(t, [...config, 'clone', '-q', url(other.key)], 'twice')
})

t.test('clones with a read token', async t => {
  await clonesWhole(t, ['clone', '-q', url(scene.reader)])
})

t.test('clones the organization of the token', async t => {
  const clone = join(folder, 'clone')
  await must(['clone', '-q', url(scene.other.key), clone])
  t.equal(await log(clone), 'create project secret\n')
})

t.test('asks for a credential without one, and refuses a wrong one with a message', async t => {
  const { server, acme } = scene
  const asked = await git(['clone', server.base + PATH, join(folder, 'a')])
  t.not(asked.code, 0)
  t.match(asked.says, /could not read Username/, 'git wanted to ask')
  const wrong = await git(['clone', url(`prl_${'x'.repeat(43)}`), join(folder, 'b')])
  t.not(wrong.code, 0)
  t.match(wrong.says, /remote: The API token is unknown, expired or revoked\./)
  t.match(wrong.says, /Authentication failed/)

  const nobody = await server.get(REFS)
  isError(t, nobody, 401, 'nobody')
  t.match(nobody.headers['www-authenticate'], /^Basic realm="Parlance"/)
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
  for (const headers of [
    basic('anyone:wrong'),
    basic(acme.key),
    basic(`${acme.key}:`),
    basic(''),
    { authorization: 'Basic' },
    { authorization: 'Basic ***' },
    { authorization: `Bearer ${acme.key}` },
    { 'x-api-key': 'wrong', ...basic(`x:${acme.key}`) },
    { 'x-api-key': '', ...basic(`x:${acme.key}`) },
  ]) {
    for (const [method, path] of [
      ['GET', REFS],
      ['POST', UPLOAD],
      ['POST', `${PATH}/git-receive-pack`],
    ] as const) {
      const reply = await server.call(method, path, {
        headers: { ...REQUEST, ...headers },
        ...(method === 'POST' && { body: FLUSH }),
      })
      isError(t, reply, 401, `${method} ${JSON.stringify(headers)}`)
      t.match(reply.headers['www-authenticate'], /^Basic realm="Parlance"/)
    }
  }
  for (const user of ['', 'x', 'ann@example.com']) {
    t.equal((await server.get(REFS, undefined, basic(`${user}:${acme.key}`))).status, 200, `user "${user}"`)
  }
})

t.test('refuses a clone with a session cookie', async t => {
  const reply = await scene.server.call('GET', REFS, { as: scene.acme.owner })
  isError(t, reply, 401, 'an owner with a session')
  t.match(reply.headers['www-authenticate'], /^Basic/)
})

t.test('refuses a fetch when the token is revoked', async t => {
  const { server, acme } = scene
  const token = await server.mint(acme.owner, 'for a while')
  const clone = await clonesWhole(t, ['clone', '-q', url(token.key)])
  t.equal((await git(['-C', clone, 'fetch'])).code, 0)
  await server.must('DELETE', `/api/tokens/${token.id}`, { as: acme.owner })
  const { code, says } = await git(['-C', clone, 'fetch'])
  t.not(code, 0)
  t.match(says, /unknown, expired or revoked/)
})

t.test('serves shallow and partial clones', async t => {
  for (const version of ['0', '2']) {
    const config = ['-c', `protocol.version=${version}`]
    const shallow = await clonesWhole(
      t,
      [...config, 'clone', '-q', '--depth=1', url(scene.acme.key)],
      `shallow${version}`,
    )
    t.equal((await log(shallow)).trim().split('\n').length, 1)
    await must([...config, '-C', shallow, 'fetch', '-q', '--deepen=2'])
    t.equal((await log(shallow)).trim().split('\n').length, 3)
    await must([...config, '-C', shallow, 'fetch', '-q', '--unshallow'])
    t.equal((await log(shallow)).trim().split('\n').length, 7)

    const partial = join(folder, `partial${version}`)
    await must([...config, 'clone', '-q', '--filter=blob:none', '--no-checkout', url(scene.acme.key), partial])
    const missing = await must(['-C', partial, 'rev-list', '--objects', '--missing=print', 'HEAD'])
    t.match(missing, /^\?[0-9a-f]{40}$/m, 'the contents are missing')
    await must([...config, '-C', partial, 'checkout', '-q', 'main'])
    t.match(
      readFileSync(join(partial, 'web/locales/pl/common.json'), 'utf8'),
      '"two"',
      'git fetches the contents on demand',
    )
  }
})

t.test('shows the branch and no internal ref to ls-remote', async t => {
  const { server, acme } = scene
  const repository = server.repository(acme.id)
  const head = (await must(['-C', repository, 'rev-parse', 'main'])).trim()
  await must(['-C', repository, 'update-ref', 'refs/parlance/note', head])
  await must(['-C', repository, 'update-ref', 'refs/heads/mine', head])
  await must(['-C', repository, 'tag', 'web/v1', head])
  t.ok(existsSync(join(repository, '.git/refs/heads/main.lock')), 'the lock of the branch exists')
  for (const version of ['0', '2']) {
    const output = await must(['-c', `protocol.version=${version}`, 'ls-remote', url(acme.key)])
    t.equal(output, `${head}\tHEAD\n${head}\trefs/heads/main\n${head}\trefs/tags/web/v1\n`)
  }
  await must(['-C', repository, 'tag', '-d', 'web/v1'])
})

t.test('fetches a write that was acknowledged a moment before', async t => {
  const { server, other } = scene
  for (const version of ['0', '2']) {
    const clone = join(folder, `clone${version}`)
    const config = ['-c', `protocol.version=${version}`]
    await must([...config, 'clone', '-q', url(other.key), clone])
    for (let n = 0; n < 5; n++) {
      const value = `v${version}, text ${n}`
      await server.must('PUT', '/api/projects/secret/bundles/en/fetch/key', { key: other.key, body: { value } })
      await must([...config, '-C', clone, 'pull', '-q', '--ff-only'])
      t.match(readFileSync(join(clone, 'secret/locales/en/fetch.json'), 'utf8'), value)
    }
    t.equal(await must(['-C', clone, 'fsck', '--full', '--strict']), '')
  }
})

t.test('clones an empty repository on main when the organization has no write', async t => {
  const { server } = scene
  const { key } = await server.organization('Eve')
  const clone = join(folder, 'clone')
  const { code, says } = await git(['-c', 'init.defaultBranch=trunk', 'clone', url(key), clone])
  t.equal(code, 0, says)
  t.match(says, /You appear to have cloned an empty repository/)
  t.equal((await must(['-C', clone, 'symbolic-ref', 'HEAD'])).trim(), 'refs/heads/main')
  await server.project(key, 'first')
  await must(['-C', clone, 'pull', '-q'])
  t.ok(existsSync(join(clone, 'first/project.json')))
})

t.test('refuses a push with a message that explains how to write', async t => {
  const { server, acme } = scene
  const clone = await clonesWhole(t, ['clone', '-q', url(acme.key)])
  const ann = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
  await must([...ann, '-C', clone, 'commit', '-q', '--allow-empty', '-m', 'mine'])
  const { code, says } = await git(['-C', clone, 'push'])
  t.not(code, 0)
  t.match(says, /remote: This repository is read-only over git: write through the API/)
  for (const [method, path] of [
    ['GET', `${PATH}/info/refs?service=git-receive-pack`],
    ['POST', `${PATH}/git-receive-pack`],
  ] as const) {
    const body = method === 'POST' ? { body: 'x'.repeat(100_000) } : {}
    const reply = await server.call(method, path, { key: acme.key, ...body })
    isError(t, reply, 403, method)
    t.match(reply.headers['content-type'], /^application\/json/)
  }
})

t.test('returns an error when the request is no git request', async t => {
  const { server, acme } = scene
  const { key } = acme
  const get = (path: string) => server.get(path, key)
  isError(t, await get(`${PATH}/info/refs`), 400, 'the dumb protocol')
  isError(t, await get(`${PATH}/info/refs?service=git-upload-archive`), 400, 'another service')
  isError(t, await get(`${REFS}&service=git-upload-pack`), 400, 'a service named twice')
  for (const path of [
    PATH,
    `${PATH}/`,
    `${PATH}/HEAD`,
    `${PATH}/objects/info/packs`,
    `${PATH}/../projects`,
    `${PATH}/../translations.git/info/refs?service=git-upload-pack`,
    `/${REFS}`,
    `/api//translations.git/info/refs?service=git-upload-pack`,
    `${PATH}//info/refs?service=git-upload-pack`,
    `${PATH}/%2e%2e/translations.git/info/refs?service=git-upload-pack`,
    `/api/translations.git%2f..%2f/info/refs?service=git-upload-pack`,
    `/api/../../etc/info/refs?service=git-upload-pack`,
  ]) {
    isError(t, await get(path), 404, path)
  }
  for (const [method, path, allow] of [
    ['POST', `${PATH}/info/refs`, 'GET, HEAD'],
    ['PUT', `${PATH}/info/refs`, 'GET, HEAD'],
    ['GET', UPLOAD, 'POST'],
    ['HEAD', UPLOAD, 'POST'],
    ['DELETE', UPLOAD, 'POST'],
    ['GET', `${PATH}/git-receive-pack`, 'POST'],
  ] as const) {
    const reply = await server.call(method, path, { key })
    t.equal(reply.status, 405, `${method} ${path}`)
    t.equal(reply.headers.allow, allow)
  }
  t.equal((await server.call('HEAD', REFS, { key })).status, 200)
})

t.test('sends no CORS headers, and forbids caching', async t => {
  const { server, acme } = scene
  const origin = { origin: 'https://app.example.com' }
  const reply = await server.get(REFS, acme.key, origin)
  t.equal(reply.headers['access-control-allow-origin'], undefined)
  t.equal(reply.headers['cache-control'], 'private, no-cache')
  t.equal(reply.headers['content-type'], 'application/x-git-upload-pack-advertisement')
  const preflight = await server.call('OPTIONS', UPLOAD, { headers: origin })
  t.equal(preflight.status, 204)
  t.equal(preflight.headers['access-control-allow-origin'], undefined)
})

t.test('passes one of three protocol versions to git, and ignores other values of Git-Protocol', async t => {
  const { server, acme } = scene
  const ask = async (value: string) => (await server.get(REFS, acme.key, { 'git-protocol': value })).text
  t.match(await ask('version=2'), /^000eversion 2\n/)
  t.match(await ask('version=1'), /^001e# service=git-upload-pack\n0000000eversion 1\n/)
  const oldest = /^001e# service=git-upload-pack\n0000[0-9a-f]{4}[0-9a-f]{40} HEAD\0/
  t.match(await ask('version=0'), oldest)
  for (const forged of [
    'version=3',
    'version=22',
    'version=2:x',
    'x:version=2',
    'version=2 ',
    '',
    '\t',
    '$(id)',
    'version=2;GIT_DIR=/',
    'v'.repeat(9000),
  ]) {
    if (forged.trim() === 'version=2') continue
    t.match(await ask(forged), oldest, JSON.stringify(forged.slice(0, 40)))
  }
})

t.test('checks type, coding and size of a request body', async t => {
  const { server, acme } = scene
  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    server.call('POST', UPLOAD, {
      key: acme.key,
      body,
      headers: { ...REQUEST, 'git-protocol': 'version=2', ...headers },
    })
  const list = `${packet('command=ls-refs\n')}0001${packet('peel\n')}0000`
  const plain = await post(list)
  t.equal(plain.status, 200, plain.text)
  t.equal(plain.headers['content-type'], 'application/x-git-upload-pack-result')
  t.match(plain.text, /refs\/heads\/main/)
  for (const coding of ['gzip', 'x-gzip', 'GZIP']) {
    t.equal((await post(gzipSync(list), { 'content-encoding': coding })).text, plain.text, coding)
  }
  t.equal((await post(list, { 'content-encoding': 'identity' })).text, plain.text)
  t.equal(
    (await server.call('POST', UPLOAD, { key: acme.key, body: FLUSH, headers: REQUEST })).status,
    200,
    "git's probe",
  )

  isError(t, await post(list, { 'content-type': 'application/json' }), 415, 'JSON')
  isError(t, await post(list, { 'content-type': 'application/x-git-receive-pack-request' }), 415, 'a push')
  isError(t, await post(list, { 'content-encoding': 'br' }), 415, 'br')
  isError(t, await post(list, { 'content-encoding': 'gzip, gzip' }), 415, 'gzip twice')
  isError(t, await post(list, { 'content-encoding': 'gzip' }), 400, 'not gzip at all')
  isError(t, await post(gzipSync(list).subarray(0, 20), { 'content-encoding': 'gzip' }), 400, 'half a gzip')
  isError(t, await post(gzipSync(Buffer.alloc(2 ** 25)), { 'content-encoding': 'gzip' }), 413, 'a bomb')
  isError(t, await post(Buffer.alloc(10 * 2 ** 20 + 1)), 413, 'too large')
  for (const version of ['version=0', 'version=2']) {
    for (const nonsense of ['this is no packet', '0002', '0009done\n', '000bcommand', '0011command=xyz\n0000']) {
      isError(t, await post(nonsense, { 'git-protocol': version }), 400, `${version} ${nonsense}`)
    }
  }
  const nonsense = await post('this is no packet')
  t.notMatch(nonsense.text, new RegExp(server.dataDir), 'no path of the server is shown')
  const missing = await post(
    `${packet('command=fetch\n')}0001${packet(`want ${'1'.repeat(40)}\n`)}${packet('done\n')}0000`,
  )
  t.match(missing.text, /not our ref 1{40}/)
})

t.test('accepts the gzip bodies that git sends in a long negotiation', async t => {
  const { acme } = scene
  const clone = await clonesWhole(t, ['clone', '-q', url(acme.key)])
  // Commits that the server does not have, newer than its own: each is a "have" of the next fetch.
  const now = Math.ceil(Date.now() / 1000)
  const commits = Array.from(
    { length: 60 },
    (_, n) => `commit refs/heads/mine${n}\ncommitter Ann <ann@example.com> ${now + n} +0000\ndata 0\n`,
  )
  execFileSync('git', ['-C', clone, 'fast-import', '--quiet'], { input: commits.join('') })
  for (const version of ['2', '0']) {
    const body = { value: `for protocol ${version}` }
    await scene.server.must('PUT', '/api/projects/web/bundles/fr/common/greeting', { key: acme.key, body })
    await must(['-C', clone, 'update-ref', '-d', 'refs/remotes/origin/main'])
    const { code, says } = await git(['-c', `protocol.version=${version}`, '-C', clone, 'fetch'], {
      env: { GIT_TRACE_CURL: '1' },
    })
    t.equal(code, 0, says.slice(-500))
    t.match(says, /content-encoding: gzip/i, `protocol ${version}`)
  }
})

t.test('serves other requests when a client leaves in the middle of a body', async t => {
  const { server, acme } = scene
  const head = `POST ${UPLOAD} HTTP/1.1\r\nHost: x\r\nx-api-key: ${acme.key}\r\nContent-Type: ${REQUEST['content-type']}\r\nContent-Length: 500\r\n\r\n`
  await exchange(server, `${head}0000`, 50)
  t.equal((await server.get(REFS, acme.key)).status, 200)
})
