/** Every setting of the server in one table: its name, what it may be, its default, what it means. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { Remote } from './remote.ts'

/** What one variable may be. */
export interface Setting<T> {
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

/** All of them, by name. */
export const settings = {
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
  BACKUP_CHECK_DAYS: setting({
    default: '7',
    form: 'a whole number from 0 to 365',
    meaning:
      'In so many days each repository of the backup is fetched once and looked at as a restore would. 0: never; ' +
      '`parlance backup --check` does it at once.',
    schema: wholeNumber(0, 365),
  }),
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Whether a host is this machine and no other. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
