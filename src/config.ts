/** Every setting of the server in one table: its name, what it may be, its default, what it means; read once from the environment by main.ts. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { Failure } from './bundle/errors.ts'
import { Remote } from './remote.ts'

/** The settings as the server uses them. Sizes are in bytes. */
export interface Config {
  host: string
  port: number
  /** absolute path of the data folder */
  dataDir: string
  /** where browsers find this server, without a trailing slash; set only where a proxy hides it */
  baseUrl?: string
  /** whose `X-Forwarded-*` headers are believed: nobody's, everybody's, the last n proxies', these addresses' */
  trustProxy: boolean | number | string[]
  signUp: 'open' | 'invite' | 'closed'
  rateLimit: boolean
  /** requests a second: reads and writes of one caller, and those without a valid credential from one address; absent: no limits */
  rates?: { reads: number; writes: number; refusals: number }
  /** how many clients may be connected at once */
  connections: number
  logLevel: string
  logRequests: 'none' | 'failures' | 'writes' | 'all'
  corsOrigins: '*' | string[]
  limits: { namespaceBody: number; keyBody: number; body: number; allBodies: number }
  /** what all caches of translations may hold together */
  cacheBytes: number
  /** how many clones and fetches git answers at once */
  gitProcesses: number
  /** who may read /metrics: nobody, programs on this machine, or whoever has the token */
  metrics: { for: 'nobody' | 'local' } | { for: 'bearer'; token: string }
  /** where everything is pushed to as it changes; undefined for nowhere */
  backupRemote?: Remote
  /** the OpenID provider that people may sign in by */
  oidc?: { issuer: string; clientId: string; clientSecret: string; name: string; baseUrl: string }
}

/** The environment's variables, as `process.env` has them. */
export type Environment = Record<string, string | undefined>

interface Setting<T> {
  default: string
  /** completes the sentence "<NAME> must be …" */
  form: string
  meaning: string
  schema: z.ZodType<T, string>
  /** whether no message may quote its value */
  secret?: boolean
}

const setting = <T>(given: Setting<T>): Setting<T> => given

const oneOf = <const T extends string>(...words: T[]) => z.enum(words) as z.ZodType<T, string>

const onOrOff = z.enum(['on', 'off']).transform(word => word === 'on') as z.ZodType<boolean, string>

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine(value => value >= least && value <= most)

const rateForm = 'a whole number from 1 to 1000000'

const units: Record<string, number> = { '': 1, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 }
const size = z
  .string()
  .regex(/^\d{1,12} ?(?:[KMG]iB)?$/i)
  .transform(text => Number.parseInt(text, 10) * (units[text.replace(/^\d+ ?/, '').toLowerCase()] ?? Number.NaN))
  .refine(value => value >= 1 && value <= 2 ** 40)
const sizeForm = 'a size in bytes, KiB, MiB or GiB such as 65536 or 8MiB'

const originOf = (text: string): string | undefined => {
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(text) || !URL.canParse(text)) return undefined
  return new URL(text).origin
}
const list = (text: string) =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')

const isAddress = (text: string) => {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

const table = {
  HOST: setting({
    default: '127.0.0.1',
    form: 'an address or host name of this machine',
    meaning: 'The address to listen on; 0.0.0.0 or :: for all of them.',
    schema: z.string().regex(/^[A-Za-z0-9.:%_-]+$/),
  }),
  PORT: setting({
    default: '3000',
    form: 'a whole number from 0 to 65535',
    meaning: 'The port to listen on; 0 takes a free one.',
    schema: wholeNumber(0, 65_535),
  }),
  DATA_DIR: setting({
    default: 'data',
    form: 'the path of a folder',
    meaning: 'The data folder, relative to the working directory: repositories, SQLite, the secret.',
    schema: z
      .string()
      .refine(text => !text.includes('\0'))
      .transform(text => resolve(text)),
  }),
  BASE_URL: setting({
    default: '',
    form: 'an http or https URL without query or fragment, such as https://parlance.example.com',
    meaning: 'Where browsers find this server; needed only when a proxy changes the Host header.',
    schema: z
      .string()
      .refine(text => text === '' || (/^https?:\/\/[^?#@\\\s]+$/i.test(text) && URL.canParse(text)))
      .transform(text => (text === '' ? undefined : new URL(text).href.replace(/\/+$/, ''))),
  }),
  TRUST_PROXY: setting({
    default: 'false',
    form: 'true, false, the number of proxies in front, or a list of addresses such as loopback,10.0.0.0/8',
    meaning: 'Whose X-Forwarded-For, -Host and -Proto headers are believed.',
    schema: z
      .string()
      .refine(text => /^(true|false|\d{1,3})$/.test(text) || (list(text).length > 0 && list(text).every(isAddress)))
      .transform((text): boolean | number | string[] => {
        if (text === 'true' || text === 'false') return text === 'true'
        return /^\d+$/.test(text) ? Number(text) : list(text)
      }),
  }),
  SIGN_UP: setting({
    default: '',
    form: 'open, invite or closed',
    meaning:
      'Who may make an account: everybody, the invited (and the very first user), or nobody. ' +
      'Default: open when HOST is a loopback address, else invite.',
    schema: oneOf('', 'open', 'invite', 'closed'),
  }),
  RATE_LIMIT: setting({
    default: 'on',
    form: 'on or off',
    meaning:
      'Whether requests are limited: sign-in and sign-up per client address, and what the next three settings name.',
    schema: onOrOff,
  }),
  READ_RATE: setting({
    default: '10000',
    form: rateForm,
    meaning: "How many reads a second one API token or user may make for long; a minute's worth may come at once.",
    schema: wholeNumber(1, 1_000_000),
  }),
  WRITE_RATE: setting({
    default: '1000',
    form: rateForm,
    meaning: 'The same for writes.',
    schema: wholeNumber(1, 1_000_000),
  }),
  REFUSAL_RATE: setting({
    default: '20',
    form: rateForm,
    meaning: 'The same for requests without a valid credential, for each client address.',
    schema: wholeNumber(1, 1_000_000),
  }),
  MAX_CONNECTIONS: setting({
    default: '10000',
    form: 'a whole number from 1 to 1000000',
    meaning: 'How many clients may be connected at once.',
    schema: wholeNumber(1, 1_000_000),
  }),
  LOG_LEVEL: setting({
    default: 'info',
    form: 'fatal, error, warn, info, debug, trace or silent',
    meaning: 'The least severe log lines to write, as JSON, on standard output.',
    schema: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  }),
  LOG_REQUESTS: setting({
    default: 'writes',
    form: 'none, failures, writes or all',
    meaning:
      'Which requests get a line: writes means writes and everything that failed. Successful reads are left out ' +
      'by default, for apps make thousands of them and a line costs as much as the answer.',
    schema: oneOf('none', 'failures', 'writes', 'all'),
  }),
  CORS_ORIGINS: setting({
    default: '*',
    form: '* or a list of origins such as https://app.example.com,http://localhost:5173',
    meaning: 'Which web pages on other origins may call the project and bundle endpoints (with an API token).',
    schema: z
      .string()
      .refine(text => text === '*' || (list(text).length > 0 && list(text).every(part => originOf(part) !== undefined)))
      .transform((text): '*' | string[] => (text === '*' ? '*' : list(text).map(part => originOf(part)!))),
  }),
  NAMESPACE_BODY_LIMIT: setting({
    default: '8MiB',
    form: sizeForm,
    meaning: 'The largest body of a namespace (POST and PUT).',
    schema: size,
  }),
  KEY_BODY_LIMIT: setting({
    default: '256KiB',
    form: sizeForm,
    meaning: 'The largest body of one key (PUT).',
    schema: size,
  }),
  BODY_LIMIT: setting({
    default: '16KiB',
    form: sizeForm,
    meaning: 'The largest body of everything else.',
    schema: size,
  }),
  BODY_MEMORY: setting({
    default: '512MiB',
    form: sizeForm,
    meaning: 'How much memory the bodies of all requests in flight may take; past it they are put off with 503.',
    schema: size,
  }),
  CACHE_BYTES: setting({
    default: '64MiB',
    form: sizeForm,
    meaning: 'How much memory the caches of stored translations may take together.',
    schema: size,
  }),
  GIT_PROCESSES: setting({
    default: '8',
    form: 'a whole number from 1 to 1000',
    meaning: 'How many clones and fetches are answered at once; four times as many may wait.',
    schema: wholeNumber(1, 1000),
  }),
  OIDC_ISSUER: setting({
    default: '',
    form: 'empty, or the https URL of an OpenID provider (http only on this machine), as its discovery document has it',
    meaning:
      'An OpenID provider that people may sign in by, such as https://login.example.com/realms/acme. It takes BASE_URL, ' +
      'and the redirect URI to register there is <BASE_URL>/api/auth/callback/oidc.',
    schema: z
      .string()
      .refine(text => text === '' || (/^https?:\/\/[^?#@\\\s]+$/i.test(text) && URL.canParse(text)))
      .refine(text => !/^http:/i.test(text) || isLoopback(new URL(text).hostname.replace(/^\[|\]$/g, ''))),
  }),
  OIDC_CLIENT_ID: setting({
    default: '',
    form: '1 to 200 characters without spaces',
    meaning: 'What the provider knows this server by.',
    schema: z.string().regex(/^[\x21-\x7e]{0,200}$/),
  }),
  OIDC_CLIENT_SECRET: setting({
    default: '',
    form: '1 to 1000 characters without spaces',
    meaning: 'What proves it.',
    schema: z.string().regex(/^[\x21-\x7e]{0,1000}$/),
    secret: true,
  }),
  OIDC_CLIENT_SECRET_FILE: setting({
    default: '',
    form: 'the path of a file that can be read, with the secret in its one line',
    meaning: 'The same from a file, which no list of processes shows.',
    schema: z.string().transform((path, context) => {
      if (path === '') return ''
      const secret = readText(path)?.trim()
      if (secret && /^[\x21-\x7e]{1,1000}$/.test(secret)) return secret
      context.addIssue('unreadable')
      return z.NEVER
    }),
  }),
  OIDC_NAME: setting({
    default: 'The sign-in provider',
    form: '1 to 50 characters',
    meaning: 'What people know the provider by, for sentences that name it.',
    schema: z.string().regex(/^[^\p{Cc}]{1,50}$/u),
  }),
  METRICS: setting({
    default: '',
    form: 'local, token or off',
    meaning:
      'Who may read /metrics: programs on this machine that no proxy speaks for, whoever has METRICS_TOKEN, or nobody. ' +
      'Default: token when METRICS_TOKEN is set, else local.',
    schema: oneOf('', 'local', 'token', 'off'),
  }),
  METRICS_TOKEN: setting({
    default: '',
    form: '16 to 200 letters, digits and characters of -._~+/=',
    meaning: 'What Prometheus sends as Authorization: Bearer to read /metrics.',
    schema: z.string().regex(/^([A-Za-z0-9._~+/=-]{16,200})?$/),
    secret: true,
  }),
  BACKUP_REMOTE: setting({
    default: '',
    form:
      'empty, an absolute path, file:///path, ssh://user@host/path, user@host:path or https://host/path (with ' +
      'user:token@ before the host where it takes one)',
    meaning:
      'Where to push backups, soon after each change: a git repository for each organization, with {organization} in ' +
      'the place of its id, and one for the accounts, named parlance-accounts there. Empty: nowhere.',
    schema: z.string().transform(text => (text === '' ? undefined : Remote.parse(text, 'BACKUP_REMOTE'))),
  }),
}

/**
 * Reads the settings from environment variables; a variable that is missing or blank takes its default.
 *
 * @throws Failure `invalid` naming the first setting that is wrong, its value, and what would be right
 */
export function readConfig(env: Environment): Config {
  const read = <T>(name: keyof typeof table, { schema, form, default: otherwise, secret }: Setting<T>): T => {
    const text = env[name]?.trim() || otherwise
    const parsed = schema.safeParse(text)
    if (parsed.success) return parsed.data
    throw new Failure('invalid', `${name} must be ${form}, not ${secret ? 'what it is' : JSON.stringify(text)}.`)
  }
  const host = read('HOST', table.HOST)
  const baseUrl = read('BASE_URL', table.BASE_URL)
  const rateLimit = read('RATE_LIMIT', table.RATE_LIMIT)
  const rates = {
    reads: read('READ_RATE', table.READ_RATE),
    writes: read('WRITE_RATE', table.WRITE_RATE),
    refusals: read('REFUSAL_RATE', table.REFUSAL_RATE),
  }
  const backupRemote = read('BACKUP_REMOTE', table.BACKUP_REMOTE)
  const oidc = oidcSettings({
    issuer: read('OIDC_ISSUER', table.OIDC_ISSUER),
    clientId: read('OIDC_CLIENT_ID', table.OIDC_CLIENT_ID),
    clientSecret: read('OIDC_CLIENT_SECRET', table.OIDC_CLIENT_SECRET),
    fromFile: read('OIDC_CLIENT_SECRET_FILE', table.OIDC_CLIENT_SECRET_FILE),
    name: read('OIDC_NAME', table.OIDC_NAME),
    baseUrl,
  })
  return {
    host,
    port: read('PORT', table.PORT),
    dataDir: read('DATA_DIR', table.DATA_DIR),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    trustProxy: read('TRUST_PROXY', table.TRUST_PROXY),
    signUp: read('SIGN_UP', table.SIGN_UP) || (isLoopback(host) ? 'open' : 'invite'),
    rateLimit,
    ...(rateLimit ? { rates } : {}),
    connections: read('MAX_CONNECTIONS', table.MAX_CONNECTIONS),
    logLevel: read('LOG_LEVEL', table.LOG_LEVEL),
    logRequests: read('LOG_REQUESTS', table.LOG_REQUESTS),
    corsOrigins: read('CORS_ORIGINS', table.CORS_ORIGINS),
    limits: {
      namespaceBody: read('NAMESPACE_BODY_LIMIT', table.NAMESPACE_BODY_LIMIT),
      keyBody: read('KEY_BODY_LIMIT', table.KEY_BODY_LIMIT),
      body: read('BODY_LIMIT', table.BODY_LIMIT),
      allBodies: read('BODY_MEMORY', table.BODY_MEMORY),
    },
    cacheBytes: read('CACHE_BYTES', table.CACHE_BYTES),
    gitProcesses: read('GIT_PROCESSES', table.GIT_PROCESSES),
    metrics: metricsAccess(read('METRICS', table.METRICS), read('METRICS_TOKEN', table.METRICS_TOKEN)),
    ...(backupRemote === undefined ? {} : { backupRemote }),
    ...(oidc === undefined ? {} : { oidc }),
  }
}

function metricsAccess(who: '' | 'local' | 'token' | 'off', token: string): Config['metrics'] {
  if (who === 'off') return { for: 'nobody' }
  if (who === 'local' || (who === '' && token === '')) return { for: 'local' }
  if (token !== '') return { for: 'bearer', token }
  throw new Failure('invalid', 'METRICS must be local or off as long as METRICS_TOKEN is not set, not "token".')
}

function oidcSettings(given: {
  issuer: string
  clientId: string
  clientSecret: string
  fromFile: string
  name: string
  baseUrl: string | undefined
}): Config['oidc'] {
  const { issuer, clientId, clientSecret, fromFile, name, baseUrl } = given
  if (issuer === '') return undefined
  const lacking = (setting: string, why: string) =>
    new Failure('invalid', `${setting} must be set with OIDC_ISSUER: ${why}.`)
  if (baseUrl === undefined) throw lacking('BASE_URL', 'the provider sends browsers back to it')
  if (clientId === '') throw lacking('OIDC_CLIENT_ID', 'the provider knows this server by it')
  if (clientSecret !== '' && fromFile !== '') {
    throw new Failure('invalid', 'OIDC_CLIENT_SECRET and OIDC_CLIENT_SECRET_FILE must not both be set.')
  }
  const secret = clientSecret || fromFile
  if (secret === '') throw lacking('OIDC_CLIENT_SECRET or OIDC_CLIENT_SECRET_FILE', 'it proves who asks')
  return { issuer, clientId, clientSecret: secret, name, baseUrl }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The table as text for `--help`: per setting its name, default, meaning and form, wrapped at 100 characters. */
export function describeSettings(): string {
  const width = Math.max(...Object.keys(table).map(name => name.length)) + 4
  return Object.entries(table)
    .map(([name, { default: otherwise, meaning, form }]) => {
      const lines = wrap(`${meaning} It is ${form}.${otherwise && ` [default: ${otherwise}]`}`, 100 - width)
      return lines.map((line, index) => (index === 0 ? `  ${name}` : '').padEnd(width) + line).join('\n')
    })
    .join('\n')
}

function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
