/** `npm run demo`: fills a running server with a real example over HTTP and shows what happened. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { join, relative, resolve } from 'node:path'
import { bundles } from './demo-bundles.ts'

const base = (process.argv[2] ?? process.env.PARLANCE_URL ?? addressOf(process.env)).replace(/\/+$/, '')
const dataDir = resolve(process.env.DATA_DIR ?? 'data')

/** Where a server with these settings is reached from its own machine. */
function addressOf({ HOST = '', PORT = '' }: NodeJS.ProcessEnv): string {
  // A server on all addresses listens on the loopback too.
  const host = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' }[HOST] ?? HOST
  return `http://${isIPv6(host) ? `[${host}]` : host}:${PORT || 3000}`
}

/** Who asks: no one, a session by its cookie, or an API token. */
type Credential = { cookie: string } | { 'x-api-key': string } | Record<string, never>

async function call(method: string, path: string, who: Credential, body?: unknown) {
  const response = await fetch(base + path, {
    method,
    headers: { ...who, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined }
}

async function expect(status: number, method: string, path: string, who: Credential, body?: unknown) {
  const answer = await call(method, path, who, body)
  if (answer.status !== status) {
    throw new Error(`${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  return answer
}

/** Signs up with a random address, so that README's Ann can sign up too. */
async function signUp() {
  const email = `demo-${randomBytes(3).toString('hex')}@example.com`
  const password = randomBytes(9).toString('base64url')
  const answer = await call('POST', '/api/auth/sign-up/email', {}, { name: 'Ann', email, password })
  if (answer.status !== 200) {
    throw new Error(`The demo cannot create its account. The server answered: ${answer.body.error}`)
  }
  const cookie = answer.headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')
  return { email, password, session: { cookie } }
}

function show(title: string, ...lines: string[]) {
  console.log(`\n${title}`)
  for (const line of lines) console.log(`  ${line}`)
}

/** The organization's history from plain git, when the data folder is on this machine. */
function gitLog(organization: string): string[] {
  const repository = join(dataDir, 'organizations', organization)
  const command = `$ git -C ${relative('.', repository) || '.'} log --format='%h %an: %s'`
  if (!existsSync(repository))
    return [command, '(run it where the data folder is; here DATA_DIR has no such organization)']
  try {
    const log = execFileSync('git', ['-C', repository, 'log', '--format=%h %an: %s'], { encoding: 'utf8' })
    return [command, ...log.trim().split('\n')]
  } catch {
    return [command, '(git is not on this machine, or may not read this folder)']
  }
}

async function main() {
  await call('GET', '/api/health', {}).catch(() => {
    throw new Error(
      `No server answers at ${base}. Start one with \`npm start\`, or name yours: \`npm run demo -- http://host:port\`.`,
    )
  })

  const { email, password, session } = await signUp()
  const slug = `acme-${randomBytes(3).toString('hex')}`
  const organization = (await expect(200, 'POST', '/api/auth/organization/create', session, { name: 'Acme', slug }))
    .body
  show('An account and an organization', `${email}, password ${password}`, `organization Acme (${organization.id})`)

  const web = '/api/projects/web'
  await expect(201, 'POST', '/api/projects', session, { name: 'Acme web shop', slug: 'web', sourceLanguage: 'en' })

  const limits = { scope: 'write', projects: ['web'], expiresInDays: 30 }
  const token = (await expect(201, 'POST', '/api/tokens', session, { name: 'demo', ...limits })).body
  const key: Credential = { 'x-api-key': token.key }
  show('An API token for this project and 30 days, displayed once', token.key)

  await expect(200, 'POST', `${web}/push`, key, { bundles, message: 'The texts of the shop' })
  const manifest = (await expect(200, 'GET', web, key)).body
  show('A project with its bundles', JSON.stringify(manifest))

  const missing = (
    await expect(200, 'POST', `${web}/bundles/de/checkout`, key, { 'voucher.hint': 'Do you have a voucher?' })
  ).body
  const edit = (await expect(200, 'PUT', `${web}/bundles/pl/checkout/item_few`, session, { value: '{{count}} rzeczy' }))
    .body
  show(
    'A running app sent a key that was missing; Ann changed one plural form',
    `POST bundles/de/checkout          -> ${JSON.stringify(missing)}`,
    `PUT  bundles/pl/checkout/item_few -> ${JSON.stringify(edit.message)}`,
  )

  show(
    'Try it',
    `export KEY=${token.key}`,
    `curl -i -H "x-api-key: $KEY" ${base}${web}/bundles/pl/checkout`,
    `curl -s -H "x-api-key: $KEY" ${base}${web}/bundles/pl/checkout | git hash-object --stdin    # is the ETag`,
    `curl -s -H "x-api-key: $KEY" ${base}${web}/bundles/ar`,
    `curl -X PUT -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"value":"Los!"}' ${base}${web}/bundles/de/checkout/pay`,
    `curl -X PUT -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"title":"x"}' '${base}${web}/bundles/en/checkout?dryRun=true'`,
  )

  // Reading the history moves every acknowledged write into git.
  await call('GET', `${web}/history?limit=1`, key)
  show('What happened, in git', ...gitLog(organization.id))
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
