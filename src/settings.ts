/** Every setting in one table: its name, values, default and meaning. */
import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { postgresUrls } from './cluster/postgres-urls.ts'
import { BackupRemote } from './store/backup/remote.ts'

/** What one variable may be. */
export interface Setting<T> {
  default: string
  /** completes the sentence "<NAME> must be …" */
  form: string
  meaning: string
  schema: z.ZodType<T, string>
  /** whether messages must not quote its value */
  secret?: boolean
}

const setting = <T>(otherwise: string, form: string, schema: z.ZodType<T, string>, meaning: string): Setting<T> => ({
  default: otherwise,
  form,
  meaning,
  schema,
})

/** An enumeration: the value is one of the words. */
function word<const T extends string, D extends T | ''>(otherwise: D, words: T[], meaning: string): Setting<T | D> {
  const form = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
  const schema = z.enum(otherwise === '' ? ['', ...words] : words) as unknown as z.ZodType<T | D, string>
  return setting(otherwise, form, schema, meaning)
}

function wholeNumber(otherwise: number, least: number, most: number, meaning: string): Setting<number> {
  const schema = z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine(value => value >= least && value <= most)
  return setting(String(otherwise), `a whole number from ${least} to ${most}`, schema, meaning)
}

const UNITS: Record<string, number> = { '': 1, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 }

function size(otherwise: string, meaning: string): Setting<number> {
  const schema = z
    .string()
    .regex(/^\d{1,12} ?(?:[KMG]iB)?$/i)
    .transform(text => Number.parseInt(text, 10) * (UNITS[text.replace(/^\d+ ?/, '').toLowerCase()] ?? Number.NaN))
    .refine(value => value >= 1 && value <= 2 ** 40)
  return setting(otherwise, 'a size in bytes, KiB, MiB or GiB such as 65536 or 8MiB', schema, meaning)
}

const originOf = (text: string): string | undefined => {
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(text) || !URL.canParse(text)) return undefined
  return new URL(text).origin
}
const isUrlOrEmpty = (text: string) => text === '' || (/^https?:\/\/[^?#@\\\s]+$/i.test(text) && URL.canParse(text))

const baseUrl = z
  .string()
  .refine(isUrlOrEmpty)
  .transform(text => (text === '' ? undefined : new URL(text).href.replace(/\/+$/, '')))

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

/** All settings, by name. */
export const settings = {
  HOST: setting(
    '127.0.0.1',
    'an address or host name of this machine',
    z.string().regex(/^[A-Za-z0-9.:%_-]+$/),
    'The address to listen on; 0.0.0.0 or :: for all of them.',
  ),
  PORT: wholeNumber(3000, 0, 65_535, 'The port to listen on; 0 chooses a free one.'),
  DATA_DIR: setting(
    'data',
    'the path of a folder',
    z
      .string()
      .refine(text => !text.includes('\0'))
      .transform(text => resolve(text)),
    'The data folder, relative to the working directory: repositories, SQLite, the secret.',
  ),
  BASE_URL: setting(
    '',
    'an http or https URL without query or fragment, such as https://parlance.example.com',
    baseUrl,
    'Where browsers find this server; needed only when a proxy changes the Host header.',
  ),
  TRUST_PROXY: setting(
    'false',
    'true, false, the number of proxies in front, or a list of addresses such as loopback,10.0.0.0/8',
    z
      .string()
      .refine(text => /^(true|false|\d{1,3})$/.test(text) || (list(text).length > 0 && list(text).every(isAddress)))
      .transform((text): boolean | number | string[] => {
        if (text === 'true' || text === 'false') return text === 'true'
        return /^\d+$/.test(text) ? Number(text) : list(text)
      }),
    'Which proxies are trusted to set X-Forwarded-For, -Host and -Proto.',
  ),
  SIGN_UP: word(
    '',
    ['open', 'invite', 'closed'],
    'Who may create an account: everybody, invited people (and the very first user), or no one. ' +
      'Default: open when HOST is a loopback address, BASE_URL names only this machine and no proxy is trusted; else invite.',
  ),
  RATE_LIMIT: word(
    'on',
    ['on', 'off'],
    'Whether requests are limited: sign-in and sign-up per client address, and what the next three settings name.',
  ),
  READ_RATE: wholeNumber(
    10_000,
    1,
    1_000_000,
    "Sustained reads a second of one API token or user. A burst may have a minute's worth.",
  ),
  WRITE_RATE: wholeNumber(1000, 1, 1_000_000, 'The same for writes.'),
  REFUSAL_RATE: wholeNumber(
    20,
    1,
    1_000_000,
    'The same for requests without a valid credential, for each client address.',
  ),
  MAX_CONNECTIONS: wholeNumber(10_000, 1, 1_000_000, 'Clients connected at once.'),
  EVENT_STREAMS: wholeNumber(
    1000,
    1,
    1_000_000,
    'Open streams of events of an organization; of all organizations at most half of MAX_CONNECTIONS.',
  ),
  EVENT_STREAMS_PER_CREDENTIAL: wholeNumber(
    100,
    1,
    1_000_000,
    'The same for one API token, or for one user in all organizations.',
  ),
  EVENT_STREAM_BUFFER: size(
    '1MiB',
    'Unsent bytes of a stream of events before the server ends it. Its client reconnects and continues there.',
  ),
  LOG_LEVEL: word(
    'info',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'The least severe log lines to write, on standard output.',
  ),
  LOG_FORMAT: word(
    'auto',
    ['auto', 'json', 'text'],
    'Log lines for programs (json, times in milliseconds since 1970) or for people (text, local times); auto means ' +
      'text on a terminal and json elsewhere.',
  ),
  LOG_REQUESTS: word(
    'writes',
    ['none', 'failures', 'writes', 'all'],
    'Which requests get a line: writes means writes and everything that failed. Successful reads are left out ' +
      'by default: apps send thousands of them, and a line costs as much as the answer.',
  ),
  CORS_ORIGINS: setting(
    '*',
    '* or a list of origins such as https://app.example.com,http://localhost:5173',
    z
      .string()
      .refine(text => text === '*' || (list(text).length > 0 && list(text).every(part => originOf(part) !== undefined)))
      .transform((text): '*' | string[] => (text === '*' ? '*' : list(text).map(part => originOf(part)!))),
    'Which web pages on other origins may call the project and bundle endpoints (with an API token).',
  ),
  NAMESPACE_BODY_LIMIT: size('8MiB', 'The largest body of a namespace (POST and PUT).'),
  PUSH_BODY_LIMIT: size('64MiB', 'The largest body of a push of many namespaces at once.'),
  KEY_BODY_LIMIT: size('256KiB', 'The largest body of one key (PUT).'),
  BODY_LIMIT: size('16KiB', 'The largest body of everything else.'),
  BODY_MEMORY: size(
    '512MiB',
    'Memory for the bodies of all requests in flight. Further requests answer 503; a body larger than this answers 413.',
  ),
  CACHE_BYTES: size('64MiB', 'Memory for the caches of stored translations together.'),
  GIT_PROCESSES: wholeNumber(8, 1, 1000, 'Clones and fetches answered at once; four times this number may wait.'),
  OIDC_ISSUER: setting(
    '',
    'empty, or the https URL of an OpenID provider (http only on this machine), as its discovery document has it',
    z
      .string()
      .refine(isUrlOrEmpty)
      .refine(text => !/^http:/i.test(text) || isLoopback(new URL(text).hostname.replace(/^\[|\]$/g, ''))),
    'An OpenID provider to sign in with, such as https://login.example.com/realms/acme. It needs BASE_URL, ' +
      'and the redirect URI to register there is <BASE_URL>/api/auth/callback/oidc.',
  ),
  OIDC_CLIENT_ID: setting(
    '',
    '1 to 200 characters without spaces',
    z.string().regex(/^[\x21-\x7e]{0,200}$/),
    'The client id of this server at the provider.',
  ),
  OIDC_CLIENT_SECRET: {
    ...setting(
      '',
      '1 to 1000 characters without spaces',
      z.string().regex(/^[\x21-\x7e]{0,1000}$/),
      'The client secret.',
    ),
    secret: true,
  },
  OIDC_CLIENT_SECRET_FILE: setting(
    '',
    'the path of a file that can be read, with the secret in its one line',
    z.string().transform((path, context) => {
      if (path === '') return ''
      const secret = readText(path)?.trim()
      if (secret && /^[\x21-\x7e]{1,1000}$/.test(secret)) return secret
      context.addIssue('unreadable')
      return z.NEVER
    }),
    'A file with the client secret, which no list of processes shows.',
  ),
  OIDC_NAME: setting(
    'The sign-in provider',
    '1 to 50 characters',
    z.string().regex(/^[^\p{Cc}]{1,50}$/u),
    'The name of the provider on the sign-in page and in error sentences.',
  ),
  MACHINES_FILE: setting(
    '',
    'empty, or the path of a file',
    z
      .string()
      .refine(text => !text.includes('\0'))
      .transform(text => (text === '' ? undefined : resolve(text))),
    'The list of machine translators, with their keys; no other user may read it. Default: machines.json in DATA_DIR.',
  ),
  SMTP_URL: {
    ...setting(
      '',
      'empty, or smtp://user:password@host:port or smtps://… without path or query',
      z
        .string()
        .refine(
          text => text === '' || (/^smtps?:\/\/([^/?#@\s]+@)?[^/?#@\s]+\/?$/i.test(text) && hasEncodedUser(text)),
        ),
      'The mail server, for invitations and daily digests. It needs MAIL_FROM and BASE_URL. Empty: no mail.',
    ),
    secret: true,
  },
  MAIL_FROM: setting(
    '',
    'an address such as parlance@example.com or Parlance <parlance@example.com>',
    z
      .string()
      .regex(/^(?:[^<>"@,;:\\\p{Cc}]{1,100} <[^\s<>",;:\\@]+@[^\s<>",;:\\@]+>|[^\s<>",;:\\@]+@[^\s<>",;:\\@]+|)$/u),
    'The sender of all mails.',
  ),
  METRICS: word(
    '',
    ['local', 'token', 'off'],
    'Who may read /metrics: programs on this machine without a proxy, clients with METRICS_TOKEN, or no one. ' +
      'Default: token when METRICS_TOKEN is set, else local.',
  ),
  METRICS_TOKEN: {
    ...setting(
      '',
      '16 to 200 letters, digits and characters of -._~+/=',
      z.string().regex(/^([A-Za-z0-9._~+/=-]{16,200})?$/),
      'What Prometheus sends as Authorization: Bearer to read /metrics.',
    ),
    secret: true,
  },
  BACKUP_REMOTE: setting(
    '',
    'empty, an absolute path, file:///path, ssh://user@host/path, user@host:path or https://host/path (with ' +
      'user:token@ before the host if it needs one)',
    z.string().transform(text => (text === '' ? undefined : BackupRemote.parse(text, 'BACKUP_REMOTE'))),
    'Where to push backups, soon after each change: a git repository for each organization, with {organization} for ' +
      'its id, and one for the accounts, named parlance-accounts. Empty: no backup.',
  ),
  BACKUP_CHECK_DAYS: wholeNumber(
    7,
    0,
    365,
    'How often, in days, each backup is fetched and tested as a restore would. 0: never; ' +
      '`parlance server backup --check` does it at once.',
  ),
  CLUSTER: {
    ...setting(
      '',
      'empty, or postgres://user:password@host:port/database, with several hosts as host1:port1,host2:port2',
      z.string().transform((text, context) => {
        if (text === '') return undefined
        const urls = postgresUrls(text)
        if (urls !== undefined) return urls
        context.addIssue('form')
        return z.NEVER
      }),
      'The PostgreSQL of a cluster. Each server that shares it is a node with all data. It needs NODE_URL.',
    ),
    secret: true,
  },
  NODE_URL: setting(
    '',
    'an http or https URL without query or fragment, such as http://10.0.0.1:3000',
    baseUrl,
    'Where the other nodes of a cluster reach this very server, not a load balancer.',
  ),
  READS_WITHOUT_ENGINE: wholeNumber(
    60,
    0,
    86_400,
    'Seconds for which a node of a cluster still answers reads, marked as stale, without the database.',
  ),
  CLUSTER_DURABILITY: word(
    'checked',
    ['checked', 'managed'],
    'checked: the server refuses a database with settings that can lose acknowledged writes. managed: the provider ' +
      'of the database is responsible for them.',
  ),
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Whether a URL is one, with a user and a password that are percent-encoded. */
function hasEncodedUser(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password, hostname } = new URL(text)
  try {
    return hostname !== '' && decodeURIComponent(username + password) !== undefined
  } catch {
    return false
  }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/** Whether a host or an address is a loopback one. */
export function isLoopback(host: string): boolean {
  const version = isIP(host)
  return host === 'localhost' || (version !== 0 && loopback.check(host, version === 4 ? 'ipv4' : 'ipv6'))
}
