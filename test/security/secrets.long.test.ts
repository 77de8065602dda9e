/**
 * No secret leaks: a session calls every route that accepts a secret, right and wrong, on a server with full logs.
 * Then the test searches its output, its arguments, those of its children and all of its data folder.
 * The password of the backup: test/store/backup/secret. The one of a cluster database: cluster-secret.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { start } from '../contract/process.ts'
import { dataFolder, eventually, Session } from '../contract/server.ts'
import { freePort } from '../free-port.ts'
import { git, noGit } from '../http/git-client.ts'
import { exchange, type Server } from '../http/server.ts'
import { newFolder } from '../new-folder.ts'
import { random } from '../random.ts'
import { noProcesses } from '../store/git-processes.ts'
import { filesIn, objectsOf, Secrets, watchArguments } from './secrets.ts'

const METRICS_TOKEN = 'metrics-token-nobody-guesses-1'
const MAIL_PASSWORD = 'mail-password-nobody-guesses'
const OIDC_CLIENT_SECRET = 'client-secret-nobody-guesses'
const MACHINE_KEY = 'machine-key-nobody-guesses'
const BACKUP_PASSWORD = 'backup-password-nobody-guesses'

const secrets = new Secrets()
const { keep, found } = secrets

function keepCookie(who: string, { cookies }: Session): void {
  const signed = decodeURIComponent(cookies.get('parlance.session_token') ?? '')
  t.match(signed, /^\w+\..+=$/)
  keep(`the cookie of ${who}`, signed)
  keep(`the session of ${who}`, signed.split('.')[0]!)
}

/** Calls every route that accepts a secret or may quote one in an error. */
async function everything(server: Server, folder: string, sawGit: () => boolean): Promise<string[]> {
  const answers: string[] = []
  const call = async (...asked: Parameters<Server['call']>) => {
    const reply = await server.call(...asked)
    answers.push(JSON.stringify(reply.headers), reply.text)
    return reply
  }
  const ann = await server.signUp('Ann', 'ann@example.com')
  keep('a password', ann.password)
  keepCookie('sign-up', ann)
  const acme = { id: await server.createOrganization(ann), owner: ann }
  const token = await server.mint(ann, 'ci')
  keep('a token', token.key)
  const revoked = await server.mint(ann, 'gone', 'read')
  keep('a revoked token', revoked.key)
  await server.must('DELETE', `/api/tokens/${revoked.id}`, { as: ann })
  const web = await server.project(token.key, 'web')
  const here = new Session()
  here.keep((await server.signIn(ann.user.email, ann.password)).headers)
  keepCookie('sign-in', here)
  keep('a wrong password', 'a-wrong-password-of-ann')
  keep('a wrong token', `prl_${'W'.repeat(43)}`)
  keep('a wrong metrics token', 'wrong-metrics-token-of-another')
  const wrong = secrets.words.get('a wrong token')!

  await call('POST', '/api/auth/sign-in/email', {
    body: { email: ann.user.email, password: 'a-wrong-password-of-ann' },
  })
  await call('POST', '/api/auth/sign-in/email', { body: `{"email":"x","password":"${ann.password}"` })
  await call('POST', '/api/auth/sign-in/email', {
    body: { email: { password: ann.password }, password: [ann.password] },
  })
  await call('POST', '/api/auth/sign-up/email', { body: { name: 'A', email: ann.user.email, password: ann.password } })
  await call('POST', '/api/auth/sign-up/email', {
    body: `password=${ann.password}`,
    headers: { 'content-type': 'text/plain' },
  })
  const changed = keep('a new password', 'the-new-password-of-ann')
  const change = { currentPassword: ann.password, newPassword: changed }
  await call('POST', '/api/auth/change-password', {
    as: here,
    body: { ...change, currentPassword: 'a-wrong-password-of-ann' },
  })
  await call('POST', '/api/auth/change-password', { as: here, body: change })
  const enabling = { as: here, body: { password: changed } }
  const { totpURI, backupCodes } = (await server.must('POST', '/api/auth/two-factor/enable', enabling)).json
  keep('the secret of codes', new URL(totpURI).searchParams.get('secret')!)
  for (const code of backupCodes) keep(`a backup code ${secrets.words.size}`, code)
  await call('POST', '/api/auth/two-factor/verify-totp', { as: here, body: { code: '000000' } })
  await call('POST', '/api/auth/two-factor/verify-backup-code', { as: here, body: { code: backupCodes[0] } })
  await call('POST', '/api/auth/sign-in/social', { body: { provider: 'oidc', callbackURL: '/' } })
  await call('GET', '/api/auth/callback/oidc?code=x&state=y', { as: here })
  await call('POST', '/api/auth/verify-password', { as: here, body: { password: changed } })
  await call('GET', '/api/auth/get-session', { headers: { cookie: `${here.cookie}x` } })
  for (const key of [token.key, revoked.key, wrong, `${token.key}x`]) {
    await call('GET', '/api/projects', { key })
    await call('PUT', `${web}/bundles/en/common`, { key, body: `{"a":"x"` })
    await call('PUT', `${web}/bundles/en/common`, { key, body: { a: 5 } })
    await call('PUT', `${web}/bundles/en/common`, { key, body: { a: `${random()}` } })
    await call('GET', `/api/projects?x-api-key=${key}&token=${key}`, {})
    await call('GET', `/api/nothing/${key}`, { key })
    await call('GET', `/api/projects/${key}%zz`, { key })
    await call('DELETE', `/api/tokens/${key}`, { as: here })
    await call('GET', '/api/projects', { headers: { authorization: `Bearer ${key}`, 'x-auth': key } })
    // An answer quotes an invalid state, which is the word of the caller.
    await server.call('GET', `${web}?at=${key}`, { key })
  }
  await call('GET', '/api/machines', { key: token.key })
  await server.must('PUT', `${web}/bundles/en/machine`, { key: token.key, body: { a: 'x' } })
  await server.must('PUT', `${web}/bundles/de/machine`, { key: token.key, body: { b: 'y' } })
  for (const machine of ['closed', 'wrong']) {
    const body = { language: 'de', namespace: 'machine', key: 'a', machine }
    const { json } = await call('POST', `${web}/suggest`, { key: token.key, body })
    t.match(json, { error: `The machine "${machine}" ` })
    const rest = { languages: ['de'], machine }
    await call('POST', `${web}/translate?dryRun=true`, { key: token.key, body: rest })
    const { job } = (await call('POST', `${web}/translate`, { key: token.key, body: rest })).json
    const isOver = async () => (await server.get(`${web}/jobs/${job}`, token.key)).json.state === 'failed'
    t.ok(await eventually(isOver))
    t.match((await call('GET', `${web}/jobs`, { key: token.key })).json.jobs[0].error, `The machine "${machine}" `)
  }
  await call('GET', '/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  await call('GET', '/metrics', { headers: { authorization: 'Bearer wrong-metrics-token-of-another' } })
  answers.push(
    await exchange(
      server,
      `GET / HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${token.key}\r\nCookie: ${here.cookie}\r\nbroken\r\n\r\n`,
      50,
    ),
  )
  answers.push(
    await exchange(server, `GET / HTTP/1.1\r\nX-Api-Key: ${token.key}\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 50),
  )
  if (!noGit) {
    const url = (key: string) => `${server.base.replace('://', `://ann:${key}@`)}/api/translations.git`
    await git(['clone', '-q', url(token.key), join(folder, 'clone')])
    // The process may end between two looks.
    for (let tries = 0; tries < 100 && !sawGit(); tries++) await git(['ls-remote', '-q', url(token.key)])
    await git(['clone', '-q', url(wrong), join(folder, 'refused')])
  }
  await call('POST', '/api/auth/organization/invite-member', {
    as: here,
    body: { email: 'bob@example.com', role: 'member', organizationId: acme.id },
  })
  await call('GET', '/api/health', { as: here })
  const bob = await server.signUp('Bob', 'bob@example.com')
  keep('a password of a member', bob.password)
  keepCookie('a member', bob)
  await call('POST', '/api/auth/sign-out', { as: bob, body: {} })
  await server.put(`${web}/bundles/de/common`, token.key, { a: 'y' })
  return answers
}

t.test('leaks no secret into output, arguments, answers or the data folder', { skip: noProcesses }, async t => {
  const dataDir = dataFolder(t)
  const port = String(await freePort())
  keep('the metrics token', METRICS_TOKEN)
  keep('the password of the backup', BACKUP_PASSWORD)
  keep('the key of a machine', MACHINE_KEY)
  const machines = join(newFolder(t), 'machines.json')
  // The second address is this very server, which logs the request.
  const machine = { kind: 'openai', key: MACHINE_KEY, model: 'm' }
  const rows = [
    { ...machine, name: 'closed', url: 'http://127.0.0.1:9/v1' },
    { ...machine, name: 'wrong', url: `http://127.0.0.1:${port}/v1` },
  ]
  writeFileSync(machines, JSON.stringify(rows), { mode: 0o600 })
  keep('the secret for the provider', OIDC_CLIENT_SECRET)
  keep('the password of the mail server', MAIL_PASSWORD)
  const run = await start(t, dataDir, {
    PORT: port,
    BASE_URL: `http://127.0.0.1:${port}`,
    LOG_LEVEL: 'trace',
    LOG_REQUESTS: 'all',
    METRICS_TOKEN,
    MACHINES_FILE: machines,
    OIDC_CLIENT_SECRET,
    SMTP_URL: `smtp://bot:${MAIL_PASSWORD}@127.0.0.1:9`,
    MAIL_FROM: 'parlance@example.com',
    OIDC_CLIENT_ID: 'parlance',
    OIDC_ISSUER: 'http://127.0.0.1:9',
    // The port is closed, so each push fails and is logged.
    BACKUP_REMOTE: `http://backup:${BACKUP_PASSWORD}@127.0.0.1:9/{organization}.git`,
  })
  const { server, child, output } = run
  keep('the secret that signs cookies', readFileSync(join(dataDir, 'secret'), 'utf8').trim())
  const { saw, stop } = watchArguments(child.pid!)
  const answers = await everything(server, join(dataDir, '..'), () => saw(/upload-pack/))
  await server.get('/api/projects/web/history', secrets.words.get('a token')!)
  const programs = await stop()
  await server.close()

  t.ok(secrets.words.size > 40, `${secrets.words.size} words to look for`)
  const log = output()
  t.ok(log.split('\n').length > 60, `${log.split('\n').length} lines of log`)
  const lines = log.split('\n').filter(line => line.startsWith('{'))
  t.doesNotThrow(() => lines.forEach(line => void JSON.parse(line)), 'each line of the log is JSON, for any input')
  t.match(log, /"route":"\/api\/auth\/\*"/)
  t.match(log, /"status":401/)
  t.strictSame(found(log), [], 'the log')
  t.ok(noGit || programs.some(program => /upload-pack/.test(program)), 'git was seen')
  t.strictSame(found(programs.join('\n')), [], 'arguments of processes, and environments of children')
  // No answer contains a password. An answer may give its caller a new token, or a session in its cookie.
  t.strictSame(found(answers.join('\n'), /^(a|the) (cookie|session) of/), [], 'answers')
  t.notMatch(answers.join('\n'), /\n\s+at |node_modules|\.ts:\d+/, 'no answer has a stack')

  const files = filesIn(dataDir)
  t.ok(files.length > 10)
  for (const path of files) {
    const name = path.slice(dataDir.length + 1)
    // The database stores the token of a session, which opens nothing without the signature of its cookie.
    const except =
      name === 'secret' ? [/^the secret that signs/] : name.startsWith('parlance.sqlite') ? [/^the session of/] : []
    t.strictSame(found(readFileSync(path), ...except), [], name)
    if (/^(secret|parlance\.sqlite.*)$/.test(name))
      t.equal(statSync(path).mode & 0o077, 0, `${name} is readable by its owner only`)
  }
  const repositories = readdirSync(join(dataDir, 'organizations')).filter(name => /^\w{32}$/.test(name))
  t.equal(repositories.length, 1)
  if (noGit) return
  for (const id of repositories) {
    const folder = join(dataDir, 'organizations', id)
    const objects = objectsOf(folder)
    t.ok(objects.includes('create project web'))
    t.strictSame(found(objects), [], 'objects of git, unpacked')
  }
})
