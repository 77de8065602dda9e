/** The settings, read once from the environment; settings.ts says what each may be. */
import { Failure } from './bundle/errors.ts'
import { isLoopback, type Setting, settings } from './settings.ts'
import type { BackupRemote } from './store/backup/remote.ts'

/** The settings as the server uses them. Sizes are in bytes. */
export interface Config {
  host: string
  port: number
  /** absolute path of the data folder */
  dataDir: string
  /** where browsers find this server, without a trailing slash, if a proxy hides it */
  baseUrl?: string
  /** sources of trusted `X-Forwarded-*` headers: none, all, the last n proxies, or these addresses */
  trustProxy: boolean | number | string[]
  signUp: 'open' | 'invite' | 'closed'
  rateLimit: boolean
  /** requests a second of a caller, and of an address without a valid credential; absent: no limits */
  rates?: { reads: number; writes: number; refusals: number }
  /** clients connected at once */
  connections: number
  logLevel: string
  logRequests: 'none' | 'failures' | 'writes' | 'all'
  /** `text` is for people, `auto` is `text` on a terminal */
  logFormat: 'auto' | 'json' | 'text'
  corsOrigins: '*' | string[]
  limits: { namespaceBody: number; pushBody: number; keyBody: number; body: number; allBodies: number }
  /** open streams of events, and bytes that may wait for one's reader */
  streams: { perOrganization: number; perCredential: number; waiting: number }
  /** all caches of translations together */
  cacheBytes: number
  /** clones and fetches that git answers at once */
  gitProcesses: number
  /** the list of machine translators; absent: machines.json in the data folder, if there is one */
  machinesFile?: string
  /** who may read /metrics: no client, programs on this machine, or holders of the token */
  metrics: { for: 'nobody' | 'local' } | { for: 'bearer'; token: string }
  /** where every change is pushed to; undefined for nowhere */
  backupRemote?: BackupRemote
  /** days between proofs that all of it can be restored; 0 for never */
  backupCheckDays: number
  /** the OpenID provider for sign-ins */
  oidc?: { issuer: string; clientId: string; clientSecret: string; name: string; baseUrl: string }
  /** the mail server; its URL holds its password */
  mail?: { url: string; from: string; baseUrl: string }
  /** what the nodes of a cluster share; absent for a single server */
  cluster?: ClusterConfig
}

/** A node of a cluster, by the settings. */
export interface ClusterConfig {
  /** one address for each host of the database; they hold its password */
  urls: string[]
  /** where the other nodes reach this one, without a trailing slash */
  nodeUrl: string
  /** milliseconds for which reads go on without the database */
  readsWithoutEngine: number
  /** whether nothing is asked about the database's durability */
  managed: boolean
}

/** The environment's variables, as `process.env` has them. */
export type Environment = Record<string, string | undefined>

/**
 * Reads the settings. A missing or blank one has its default.
 * @throws Failure `invalid` naming the first wrong setting, its value, and what would be right
 */
export function readConfig(env: Environment): Config {
  const read = readAll(env)
  const { READ_RATE: reads, WRITE_RATE: writes, REFUSAL_RATE: refusals } = read
  const rateLimit = read.RATE_LIMIT === 'on'
  const oidc = oidcSettings(read)
  const mail = mailSettings(read)
  const cluster = clusterSettings(read)
  // One that is larger than the memory for all would be put off for ever.
  const body = (limit: number) => Math.min(limit, read.BODY_MEMORY)
  return {
    host: read.HOST,
    port: read.PORT,
    dataDir: read.DATA_DIR,
    ...(read.BASE_URL && { baseUrl: read.BASE_URL }),
    trustProxy: read.TRUST_PROXY,
    signUp: read.SIGN_UP || (isPublic(read) ? 'invite' : 'open'),
    rateLimit,
    ...(rateLimit && { rates: { reads, writes, refusals } }),
    connections: read.MAX_CONNECTIONS,
    logLevel: read.LOG_LEVEL,
    logRequests: read.LOG_REQUESTS,
    logFormat: read.LOG_FORMAT,
    corsOrigins: read.CORS_ORIGINS,
    limits: {
      namespaceBody: body(read.NAMESPACE_BODY_LIMIT),
      pushBody: body(read.PUSH_BODY_LIMIT),
      keyBody: body(read.KEY_BODY_LIMIT),
      body: body(read.BODY_LIMIT),
      allBodies: read.BODY_MEMORY,
    },
    streams: {
      perOrganization: read.EVENT_STREAMS,
      perCredential: read.EVENT_STREAMS_PER_CREDENTIAL,
      waiting: read.EVENT_STREAM_BUFFER,
    },
    cacheBytes: read.CACHE_BYTES,
    gitProcesses: read.GIT_PROCESSES,
    ...(read.MACHINES_FILE && { machinesFile: read.MACHINES_FILE }),
    metrics: metricsAccess(read),
    ...(read.BACKUP_REMOTE && { backupRemote: read.BACKUP_REMOTE }),
    backupCheckDays: read.BACKUP_CHECK_DAYS,
    ...(oidc && { oidc }),
    ...(mail && { mail }),
    ...(cluster && { cluster }),
  }
}

/**
 * Whether others than this machine's users may reach the server: by its address, through a proxy, or at a public URL.
 */
function isPublic({ HOST, TRUST_PROXY, BASE_URL }: Pick<Read, 'HOST' | 'TRUST_PROXY' | 'BASE_URL'>): boolean {
  const isBehindProxy = TRUST_PROXY !== false && TRUST_PROXY !== 0
  const names = BASE_URL === undefined ? [HOST] : [HOST, new URL(BASE_URL).hostname.replace(/^\[|\]$/g, '')]
  return isBehindProxy || !names.every(isLoopback)
}

type Read = { [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer T> ? T : never }

function readAll(env: Environment): Read {
  const values = Object.entries(settings).map(([name, setting]) => {
    const { schema, form, default: otherwise, secret }: Setting<unknown> = setting
    const text = env[name]?.trim() || otherwise
    const parsed = schema.safeParse(text)
    if (parsed.success) return [name, parsed.data]
    throw new Failure('invalid', `${name} must be ${form}, not ${secret ? 'what it is' : JSON.stringify(text)}.`)
  })
  return Object.fromEntries(values)
}

/**
 * A sentence for each variable that only resembles a setting: it begins with PARLANCE_ or a setting's name, or is one
 * letter off, and is not Kubernetes'.
 * @param others variables of other programs of ours, which may stand beside the settings
 */
export function oddNames(env: Environment, others: readonly string[]): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (Object.hasOwn(settings, name) || others.includes(name) || isOfKubernetes(name, value)) return []
    const bare = name.replace(/^PARLANCE_/, '')
    const meant = Object.keys(settings).find(setting => bare === setting || isLike(bare, setting))
    if (meant === undefined && bare === name) return []
    const instead = meant === undefined ? 'see parlance serve --help for all settings' : `did you mean ${meant}?`
    return [`${name} is not a setting of Parlance and changes nothing; ${instead}`]
  })
}

/** Kubernetes' variables for services: PARLANCE_SERVICE_HOST, PARLANCE_PORT=tcp://… */
const isOfKubernetes = (name: string, value: string) =>
  /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP)/.test(name) || (name.endsWith('_PORT') && /^(tcp|udp):/.test(value))

/** Minimum letters of a misspelled setting: other programs have a HOST or METRICS of their own. */
const DISTINCTIVE_LENGTH = 7

function isLike(name: string, setting: string): boolean {
  if (setting.length < DISTINCTIVE_LENGTH || !setting.includes('_')) return false
  const upper = name.toUpperCase()
  return upper === setting || upper.startsWith(`${setting}_`) || isOneEditAway(upper, setting)
}

/** Whether `a` and `b` differ by one added, removed or changed letter, or by two swapped ones. */
function isOneEditAway(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [one, other] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (one.length <= 1 && other.length <= 1) return true
  return one.length === 2 && other.length === 2 && one[0] === other[1] && one[1] === other[0]
}

function metricsAccess({ METRICS: who, METRICS_TOKEN: token }: Read): Config['metrics'] {
  if (who === 'off') return { for: 'nobody' }
  if (who === 'local' || (who === '' && token === '')) return { for: 'local' }
  if (token !== '') return { for: 'bearer', token }
  throw new Failure('invalid', 'METRICS must be local or off as long as METRICS_TOKEN is not set, not "token".')
}

function oidcSettings(read: Read): Config['oidc'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_NAME: name, BASE_URL: baseUrl } = read
  const { OIDC_CLIENT_SECRET: clientSecret, OIDC_CLIENT_SECRET_FILE: fromFile } = read
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

function mailSettings({ SMTP_URL: url, MAIL_FROM: from, BASE_URL: baseUrl }: Read): Config['mail'] {
  if (url === '') return undefined
  const lacking = (setting: string, why: string) =>
    new Failure('invalid', `${setting} must be set with SMTP_URL: ${why}.`)
  if (from === '') throw lacking('MAIL_FROM', 'it is the sender of all mails')
  if (baseUrl === undefined) throw lacking('BASE_URL', 'mails link to it')
  return { url, from, baseUrl }
}

function clusterSettings(read: Read): Config['cluster'] {
  const { CLUSTER: urls, NODE_URL: nodeUrl, READS_WITHOUT_ENGINE: seconds, CLUSTER_DURABILITY: durability } = read
  if (urls === undefined && nodeUrl === undefined) return undefined
  if (urls === undefined) {
    throw new Failure('invalid', 'CLUSTER must be set with NODE_URL: it is the PostgreSQL that the nodes share.')
  }
  if (nodeUrl === undefined) {
    throw new Failure('invalid', 'NODE_URL must be set with CLUSTER: the other nodes reach this one there.')
  }
  return { urls, nodeUrl, readsWithoutEngine: seconds * 1000, managed: durability === 'managed' }
}
