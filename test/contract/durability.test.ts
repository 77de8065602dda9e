/** The process from outside: kills, restarts, signals, a second server, and people who edit the files. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { countCommits, eventually, git, type Organization, Server, settings } from './server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

interface Run {
  server: Server
  child: ChildProcess
  /** All that was printed so far. */
  output: () => string
  exit: Promise<{ code: number | null; signal: string | null }>
}

function launch(dataDir: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings(dataDir, { LOG_LEVEL: 'warn', ...env }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  child.stdout.on('data', part => (text += part))
  child.stderr.on('data', part => (text += part))
  const exit = new Promise<{ code: number | null; signal: string | null }>(resolve => {
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  return { child, exit, output: () => text }
}

async function start(t: Test, dataDir: string): Promise<Run> {
  mkdirSync(dataDir, { recursive: true })
  const run = launch(dataDir)
  t.teardown(async () => {
    run.child.kill('SIGKILL')
    await run.exit
  })
  const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(run.output())?.[0]
  if (
    !(await eventually(() => address() !== undefined || run.child.exitCode !== null, 30_000)) ||
    address() === undefined
  ) {
    throw new Error(`no server: ${run.output()}`)
  }
  const close = async () => {
    run.child.kill('SIGTERM')
    await run.exit
  }
  return { server: new Server(address()!, dataDir, close), ...run }
}

async function kill(run: Run) {
  run.child.kill('SIGKILL')
  await run.exit
}

const folder = (t: Test) => join(t.testdir(), 'data')

function isSound(t: Test, repository: string, what: string) {
  t.doesNotThrow(() => git(repository, 'fsck', '--full', '--strict'), `${what}: git fsck --full --strict`)
}

t.setTimeout(400_000)

t.test('what was acknowledged is there after kill -9', async t => {
  const dataDir = folder(t)
  let run = await start(t, dataDir)
  const acme = await run.server.organization()
  const web = await run.server.project(acme.key, 'web')
  const repository = run.server.repository(acme.id)
  const acknowledged = new Map<string, string>()
  let writes = 1
  let sent = 1
  for (let round = 0; round < Number(process.env.CONTRACT_KILLS ?? 6); round++) {
    let going = true
    let n = 0
    const writer = async (lane: number) => {
      while (going) {
        const key = `r${round}l${lane}n${n++}`
        try {
          sent++
          const reply = await run.server.put(`${web}/bundles/${lane % 2 ? 'en' : 'de'}/ns${lane}/${key}`, acme.key, {
            value: `text ${key}`,
          })
          if (reply.status !== 200) t.fail(`${reply.status} ${reply.text}`)
          acknowledged.set(`${lane} ${key}`, `text ${key}`)
          writes++
        } catch {
          return
        }
      }
    }
    const lanes = Array.from({ length: 8 }, (_, lane) => writer(lane))
    await pause(150 + round * 130)
    run.child.kill('SIGKILL')
    going = false
    await Promise.all([...lanes, run.exit])
    if (existsSync(join(repository, '.git'))) isSound(t, repository, `round ${round}, as the kill left it`)
    run = await start(t, dataDir)
    const lost: string[] = []
    for (let lane = 0; lane < 8; lane++) {
      const bundle = (await run.server.get(`${web}/bundles/${lane % 2 ? 'en' : 'de'}/ns${lane}`, acme.key)).json ?? {}
      for (const [name, text] of acknowledged) {
        const [in_, key] = name.split(' ')
        if (Number(in_) === lane && bundle[key!] !== text) lost.push(key!)
      }
    }
    t.strictSame(lost, [], `round ${round}: none of ${acknowledged.size} acknowledged writes is lost`)
    isSound(t, repository, `round ${round}`)
  }
  const commits = () => countCommits(repository)
  t.ok(
    await eventually(() => commits() >= writes && commits() <= sent),
    `a commit a write: ${writes} acknowledged, ${sent} sent, ${commits()} commits`,
  )
  t.ok(await eventually(() => git(repository, 'status', '--porcelain') === ''), 'the work tree is clean')
  t.equal((await run.server.call('GET', '/api/projects', { as: acme.owner })).status, 200, 'sessions outlive the kill')
  await run.server.must('PUT', `${web}/bundles/en/last/k`, { key: acme.key, body: { value: 'x' } })
})

t.test('SIGTERM: what is in flight is answered, and the exit is 0', async t => {
  const dataDir = folder(t)
  const run = await start(t, dataDir)
  const acme = await run.server.organization()
  const web = await run.server.project(acme.key, 'web')
  const slow = run.server.open('PUT', `${web}/bundles/en/slow`, {
    'x-api-key': acme.key,
    'content-type': 'application/json',
    'content-length': '14',
  })
  const answer = new Promise<number>((resolve, reject) => {
    slow.on('response', response => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    slow.on('error', reject)
  })
  slow.write('{"slow"')
  await pause(150)
  const burst = Promise.allSettled(
    Array.from({ length: 30 }, (_, n) => run.server.put(`${web}/bundles/en/burst/k${n}`, acme.key, { value: `${n}` })),
  )
  await pause(5)
  run.child.kill('SIGTERM')
  await pause(100)
  slow.end(':"xyz"}')
  t.equal(await answer, 200, 'a body still arriving at the signal is taken and answered')
  const settled = await burst
  const { code } = await run.exit
  t.equal(code, 0, `exit code: ${run.output().slice(-300)}`)
  const repository = run.server.repository(acme.id)
  isSound(t, repository, 'closed')
  t.equal(git(repository, 'status', '--porcelain'), '', 'the work tree is clean')
  t.equal(
    git(repository, 'show', 'HEAD:web/locales/en/slow.json'),
    '{\n  "slow": "xyz"\n}\n',
    'everything is in git when the process is gone',
  )
  const file = existsSync(join(repository, 'web/locales/en/burst.json'))
    ? JSON.parse(readFileSync(join(repository, 'web/locales/en/burst.json'), 'utf8'))
    : {}
  for (const [n, result] of settled.entries()) {
    if (result.status === 'fulfilled' && result.value.status === 200) t.equal(file[`k${n}`], `${n}`, `burst ${n}`)
  }
  git(
    repository,
    '-c',
    'user.name=x',
    '-c',
    'user.email=x@example.com',
    'commit',
    '--allow-empty',
    '-q',
    '-m',
    'while it is stopped, git is free',
  )
})

t.test('a second server on the same folder refuses in one line', async t => {
  const dataDir = folder(t)
  const run = await start(t, dataDir)
  const second = launch(dataDir)
  const { code } = await second.exit
  t.ok(code !== 0 && code !== null, `exit code ${code}`)
  const lines = second.output().trim().split('\n')
  t.equal(lines.length, 1, second.output())
  t.match(second.output(), /data/i, 'names the folder')
  t.notMatch(second.output(), /\n\s+at /)
  t.equal((await run.server.get('/api/health')).status, 200, 'the first goes on')
  await kill(run)
  const third = await start(t, dataDir)
  t.equal((await third.server.get('/api/health')).status, 200, 'after a kill the folder is free at once')
})

t.test('a wrong setting stops the start in one line', async t => {
  const dataDir = folder(t)
  mkdirSync(dataDir, { recursive: true })
  for (const [name, value] of [
    ['PORT', 'abc'],
    ['PORT', '70000'],
    ['SIGN_UP', 'maybe'],
    ['RATE_LIMIT', 'sometimes'],
    ['LOG_LEVEL', 'loud'],
    ['CORS_ORIGINS', 'not an origin'],
    ['KEY_BODY_LIMIT', '-1'],
  ] as const) {
    const run = launch(dataDir, { [name]: value })
    const { code } = await run.exit
    t.ok(code !== 0 && code !== null, `${name}=${value}: exit code ${code}`)
    t.equal(run.output().trim().split('\n').length, 1, run.output())
    t.match(run.output(), new RegExp(name), 'names the setting')
  }
})

async function outside(t: Test) {
  const dataDir = folder(t)
  const run = await start(t, dataDir)
  const acme: Organization = await run.server.organization()
  const { server } = run
  const web = await server.project(acme.key, 'web')
  await server.must('PUT', `${web}/bundles/en/common`, {
    key: acme.key,
    body: { title: 'Title', nav: { home: 'Home' } },
  })
  await server.must('PUT', `${web}/bundles/de/common`, { key: acme.key, body: { title: 'Titel' } })
  await server.must('PUT', `${web}/bundles/de/other`, { key: acme.key, body: { x: 'X' } })
  const repository = server.repository(acme.id)
  const clean = () => eventually(() => git(repository, 'status', '--porcelain') === '' && countCommits(repository) >= 4)
  if (!(await clean())) t.fail(`the work tree is not clean: ${git(repository, 'status', '--porcelain')}`)
  const read = async (place: string) => (await server.get(`${web}/bundles/${place}`, acme.key)).json
  const file = (place: string) => join(repository, 'web/locales', `${place}.json`)
  return { run, server, acme, web, repository, read, file, clean }
}

t.test('a file that someone edits comes in as a commit', async t => {
  const { repository, read, file, clean, server, web, acme } = await outside(t)
  const before = countCommits(repository)
  writeFileSync(file('en/common'), '{"title":"Edited","zebra":"Z","nav":{"home":"Home"}}')
  t.ok(await eventually(async () => (await read('en/common'))?.title === 'Edited', 15_000), 'the edit is served')
  t.strictSame(await read('en/common'), { title: 'Edited', zebra: 'Z', nav: { home: 'Home' } })
  t.ok(await clean(), 'the work tree is clean again')
  t.equal(
    readFileSync(file('en/common'), 'utf8'),
    '{\n  "nav": {\n    "home": "Home"\n  },\n  "title": "Edited",\n  "zebra": "Z"\n}\n',
    'canonical',
  )
  t.equal(countCommits(repository), before + 1, 'one commit')
  t.match(git(repository, 'log', '-1', '--format=%s'), /outside/i, 'that says so')
  await server.must('PUT', `${web}/bundles/en/common/title`, { key: acme.key, body: { value: 'Back' } })
  t.ok(await eventually(() => readFileSync(file('en/common'), 'utf8').includes('Back')), 'writes go on')
  isSound(t, repository, 'afterwards')
})

t.test('a language folder that someone adds is a language', async t => {
  const { repository, read, clean, server, web, acme } = await outside(t)
  mkdirSync(join(repository, 'web/locales/fr'), { recursive: true })
  writeFileSync(join(repository, 'web/locales/fr/common.json'), '{\n  "title": "Titre"\n}\n')
  t.ok(await eventually(async () => (await read('fr/common'))?.title === 'Titre', 15_000), 'it is served')
  t.ok((await server.get(web, acme.key)).json.languages.includes('fr'), 'in the manifest')
  t.ok(await clean(), 'and committed')
})

t.test('a file that someone deletes is deleted', async t => {
  const { repository, read, clean, file, server, web, acme } = await outside(t)
  rmSync(file('de/other'))
  t.ok(
    await eventually(async () => Object.keys((await read('de/other')) ?? {}).length === 0, 15_000),
    'its keys are gone',
  )
  t.ok(await clean(), 'and committed')
  t.equal((await server.get(`${web}/bundles/de?namespace=other`, acme.key)).status, 404)
  t.strictSame(await read('de/common'), { title: 'Titel' }, 'its neighbour stays')
  git(repository, 'log', '-1')
})

t.test('a file that breaks the rules is left alone and reported', async t => {
  const { repository, read, file, server, web, acme } = await outside(t)
  const rival = await server.organization('Rita')
  const broken = [
    '{"title": "unfin',
    '{"title": 5}',
    '{"title":"{n, plural, one {x} other {y}}"}',
    '[]',
    '{"a":{"b":"x"},"a.b":"y"}',
  ]
  for (const text of broken) {
    const before = countCommits(repository)
    writeFileSync(file('de/common'), text)
    const reported = async () => (await server.get('/api/health', acme.key)).text.includes('de/common')
    t.ok(await eventually(reported, 15_000), `${text}: /api/health names the file`)
    t.notMatch((await server.get('/api/health')).text, /de\/common|web\//, 'strangers are not told which')
    t.notMatch((await server.get('/api/health', rival.key)).text, /de\/common|web\//, 'another organization neither')
    t.strictSame(await read('de/common'), { title: 'Titel' }, 'the last good one is served')
    t.equal(readFileSync(file('de/common'), 'utf8'), text, 'the file is as it was left')
    t.equal(countCommits(repository), before, 'no commit')
    writeFileSync(file('de/common'), '{\n  "title": "Titel"\n}\n')
    t.ok(await eventually(async () => !(await reported()), 15_000), 'mended, it is no longer reported')
  }
  await server.must('PUT', `${web}/bundles/de/common/more`, { key: acme.key, body: { value: 'x' } })
  t.ok(await eventually(() => git(repository, 'status', '--porcelain') === ''), 'and all is clean')
})

t.test('a git commit beside the running server fails with git’s own message', async t => {
  const { repository, server, web, acme } = await outside(t)
  const head = git(repository, 'rev-parse', 'HEAD')
  t.throws(
    () =>
      git(repository, '-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '--allow-empty', '-m', 'race'),
    /lock/,
    'the branch is locked',
  )
  t.equal(git(repository, 'rev-parse', 'HEAD'), head)
  await server.must('PUT', `${web}/bundles/en/common/k`, { key: acme.key, body: { value: 'x' } })
})

t.test('commits and edits made while it was stopped are taken over', async t => {
  const { run, repository, file, acme, web } = await outside(t)
  run.child.kill('SIGTERM')
  await run.exit
  const as = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
  writeFileSync(file('en/common'), '{"title":"By commit"}')
  git(repository, 'add', '-A')
  git(repository, ...as, 'commit', '-q', '-m', 'by hand')
  writeFileSync(file('de/common'), '{"title":"By edit"}')
  const again = await start(t, run.server.dataDir)
  const read = async (place: string) => (await again.server.get(`${web}/bundles/${place}`, acme.key)).json
  t.ok(await eventually(async () => (await read('en/common'))?.title === 'By commit', 15_000), 'the commit')
  t.ok(await eventually(async () => (await read('de/common'))?.title === 'By edit', 15_000), 'the edit')
  t.ok(await eventually(() => git(repository, 'status', '--porcelain') === ''), 'clean')
  t.match(git(repository, 'log', '--format=%s'), /by hand/, 'the history is kept')
  isSound(t, repository, 'afterwards')
})
