/**
 * Looks for the remote's password wherever it must not be: arguments and environments of processes, files, logs,
 * answers.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { BackupRemote } from '../../../src/store/backup/remote.ts'
import { restoreDataFolder } from '../../../src/store/backup/restore.ts'
import { eventually, startServer } from '../../contract/server.ts'
import { noGit } from '../../http/git-client.ts'
import { fsck, git } from '../git-cli.ts'
import { noProcesses } from '../git-processes.ts'
import { make, PASSWORD, startRemote, USER } from './http-remote.ts'

if (noGit) t.bailout(noGit)
// Much of it waits for processes of git, which are slow to start on a busy machine.
t.setTimeout(0)

const QUICK = { settle: 30, latest: 200, firstRetry: 50, lastRetry: 200, accounts: 50 }
const SHAPES = [PASSWORD, encodeURIComponent(PASSWORD), Buffer.from(`${USER}:${PASSWORD}`).toString('base64')]
const told = (text: string) => SHAPES.some(shape => text.includes(shape))

/** Reads what every later process was started with, again and again, until it is stopped. */
function watchProcesses() {
  const present = new Set(readdirSync('/proc'))
  const programs = new Set<string>()
  const leaks = new Set<string>()
  let looks = 0
  let stopped = false
  const look = async () => {
    while (!stopped) {
      for (const id of readdirSync('/proc').filter(name => /^\d+$/.test(name) && !present.has(name))) {
        for (const file of ['cmdline', 'environ']) {
          try {
            const text = readFileSync(`/proc/${id}/${file}`, 'latin1')
            if (file === 'cmdline' && /git/.test(text)) programs.add(text.split('\0').slice(0, 2).join(' '))
            // The user name is no secret to git, but no program need be started with it either.
            if (told(text) || (file === 'cmdline' && text.includes(USER))) leaks.add(`${file} of ${text.slice(0, 200)}`)
          } catch {
            // It ended, or is another user's.
          }
        }
      }
      looks++
      await pause(5)
    }
  }
  const looking = look()
  return async () => {
    stopped = true
    await looking
    return { programs: [...programs], leaks: [...leaks], looks }
  }
}

function filesWithPassword(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(name => join(folder, String(name)))
    .filter(path => statSync(path).isFile() && told(readFileSync(path, 'latin1')))
}

t.test('the password reaches the remote and nothing else', { skip: noProcesses }, async t => {
  const root = t.testdir({ remote: {} })
  const folder = join(root, 'remote')
  const remote = await startRemote(t, folder)
  // Every process lives long enough to be looked at.
  remote.behave = () => pause(150)
  let log = ''
  const server = await startServer(t, {
    dataDir: join(root, 'data'),
    env: { BACKUP_REMOTE: remote.setting, LOG_LEVEL: 'trace' },
    log: { write: line => void (log += line) },
    backupDelays: QUICK,
  })
  const stop = watchProcesses()
  t.teardown(stop)
  const acme = await server.organization()
  await server.project(acme.key, 'web')
  const health = async () => (await server.call('GET', '/api/health', { as: acme.owner })).json
  const missing = `The backup remote has no repository for ${acme.id}: create it there, empty.`
  t.ok(await eventually(async () => (await health()).backup.error === missing))
  const paths = [make(folder, acme.id), make(folder, 'parlance-accounts')]
  // Each of a good dozen requests is held back.
  t.ok(await eventually(async () => (await health()).backup.state === 'ok'), 'once it is there it is used')
  const manifest = () => git(paths[1]!, 'show', 'main:manifest.json')
  t.ok(await eventually(() => git(paths[1]!, 'for-each-ref') !== '' && manifest().includes(acme.id)))
  t.equal(git(paths[0]!, 'rev-parse', 'main'), server.git(acme.id, 'rev-parse', 'main'))
  t.equal(fsck(paths[0]!), '')

  remote.behave = (_request, response) => void response.writeHead(403).end(`no, ${PASSWORD} may not`)
  await server.put('/api/projects/web/bundles/en/a', acme.key, { a: 'x' })
  t.ok(await eventually(async () => (await health()).backup.state === 'failing'))
  t.match((await health()).backup, { error: /refuses the credentials/, lag: Number, lastSuccess: String })
  remote.behave = () => {}
  t.ok(await eventually(async () => (await health()).backup.state === 'ok'))
  const answers = [await health(), (await server.get('/metrics')).text, (await server.get('/api/openapi.json')).text]
  await server.close()

  const restored = join(root, 'restored')
  await restoreDataFolder({ remote: BackupRemote.parse(remote.setting, '--from'), dataDir: restored })
  const { programs, leaks, looks } = await stop()
  t.ok(looks > 100, `${looks} looks`)
  t.ok(
    programs.some(program => /remote-http/.test(program)),
    'the program that has the password was seen',
  )
  t.ok(programs.some(program => /send-pack|pack-objects/.test(program)))
  t.strictSame(leaks, [])
  t.strictSame(filesWithPassword(join(root, 'data')), [])
  t.strictSame(filesWithPassword(restored), [])
  t.match(log, /refuses the credentials/)
  t.notOk(told(log), 'no line of the log has it')
  t.notOk(told(JSON.stringify(answers)))
  t.ok(remote.seen.some(({ right }) => right))
  t.strictSame(
    [...new Set(remote.seen.filter(({ right }) => !right).map(({ method }) => method))],
    ['GET'],
    'git asks first without it',
  )
})

t.test('it goes to no other server, for any answer of the remote', async t => {
  const root = t.testdir({ remote: {} })
  const seen: unknown[] = []
  const elsewhere = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
  })
  await new Promise<void>(resolve => elsewhere.listen(0, '127.0.0.1', resolve))
  t.teardown(() => elsewhere.close())
  const remote = await startRemote(t, join(root, 'remote'))
  const { port } = elsewhere.address() as AddressInfo
  let asked = 0
  remote.behave = (request, response) => {
    asked++
    response.writeHead(302, { location: `http://127.0.0.1:${port}${request.url}` }).end()
  }
  const restoring = restoreDataFolder({
    remote: BackupRemote.parse(remote.setting, '--from'),
    dataDir: join(root, 'data'),
  })
  await t.rejects(restoring, { code: 'unavailable', message: /redirects, which is not followed/ })
  t.ok(asked > 0)
  t.strictSame(seen, [])
})

t.test('a wrong password is said in a sentence, and asked for once', async t => {
  const root = t.testdir({ remote: {} })
  const remote = await startRemote(t, join(root, 'remote'))
  const wrong = remote.setting.replace(encodeURIComponent(PASSWORD), 'wrong')
  const restoring = restoreDataFolder({ remote: BackupRemote.parse(wrong, '--from'), dataDir: join(root, 'data') })
  await t.rejects(restoring, { code: 'unavailable', message: /refuses the credentials/ })
  t.equal(remote.seen.length, 2, 'without a password, and with the wrong one')
  t.throws(() => statSync(join(root, 'data')), 'and nothing is left')
})
