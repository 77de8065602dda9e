/** The process from outside: kills, restarts, signals, a second server on one folder, wrong settings. */
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { isSound, kill, launch, start } from './process.ts'
import { countCommits, dataFolder, eventually, git } from './server.ts'

t.setTimeout(0)

t.test('loses no acknowledged write after kill -9', async t => {
  const dataDir = dataFolder(t)
  let run = await start(t, dataDir)
  const acme = await run.server.organization()
  const web = await run.server.project(acme.key, 'web')
  const repository = run.server.repository(acme.id)
  const acknowledged = new Map<string, string>()
  let writes = 1
  let sent = 1
  for (let round = 0; round < Number(process.env.CONTRACT_KILLS ?? 4); round++) {
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
    `one commit for each write: ${writes} acknowledged, ${sent} sent, ${commits()} commits`,
  )
  t.ok(await eventually(() => git(repository, 'status', '--porcelain') === ''), 'the work tree is clean')
  t.equal((await run.server.call('GET', '/api/projects', { as: acme.owner })).status, 200, 'sessions outlive the kill')
  await run.server.must('PUT', `${web}/bundles/en/last/k`, { key: acme.key, body: { value: 'x' } })
})

t.test('answers the requests in flight and exits with 0 on SIGTERM', async t => {
  const dataDir = dataFolder(t)
  const run = await start(t, dataDir)
  const acme = await run.server.organization()
  const web = await run.server.project(acme.key, 'web')
  const slow = run.server.open('PUT', `${web}/bundles/en/slow`, {
    'x-api-key': acme.key,
    'content-type': 'application/json',
    'content-length': '14',
    expect: '100-continue',
  })
  const arrived = once(slow, 'continue')
  const answer = new Promise<number>((resolve, reject) => {
    slow.on('response', response => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    slow.on('error', reject)
  })
  slow.write('{"slow"')
  await arrived
  const burst = Promise.allSettled(
    Array.from({ length: 30 }, (_, n) => run.server.put(`${web}/bundles/en/burst/k${n}`, acme.key, { value: `${n}` })),
  )
  // The sleeps place the signal within the burst, and the end of the body after the signal.
  await pause(5)
  run.child.kill('SIGTERM')
  await pause(100)
  slow.end(':"xyz"}')
  t.equal(await answer, 200, 'a body that arrives during the stop is read and answered')
  const settled = await burst
  const { code } = await run.exit
  t.equal(code, 0, `exit code: ${run.output().slice(-300)}`)
  const repository = run.server.repository(acme.id)
  isSound(t, repository, 'closed')
  t.equal(git(repository, 'status', '--porcelain'), '', 'the work tree is clean')
  t.equal(
    git(repository, 'show', 'HEAD:web/locales/en/slow.json'),
    '{\n  "slow": "xyz"\n}\n',
    'all writes are in git when the process has ended',
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
    'git is free while the server is stopped',
  )
})

t.test('refuses to start a second server on the same folder with one line', async t => {
  const dataDir = dataFolder(t)
  const run = await start(t, dataDir)
  const second = launch(dataDir)
  const { code } = await second.exit
  t.ok(code !== 0 && code !== null, `exit code ${code}`)
  const lines = second.output().trim().split('\n')
  t.equal(lines.length, 1, second.output())
  t.match(second.output(), /data/i, 'names the folder')
  t.notMatch(second.output(), /\n\s+at /)
  t.equal((await run.server.get('/api/health')).status, 200, 'the first still answers')
  await kill(run)
  const third = await start(t, dataDir)
  t.equal((await third.server.get('/api/health')).status, 200, 'after a kill the folder is free at once')
})

t.test('refuses to start with a wrong setting in one line', async t => {
  const dataDir = dataFolder(t)
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
