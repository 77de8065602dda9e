import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { CLIENT_VARIABLES } from '../src/cli/surroundings.ts'
import { oddNames, readConfig } from '../src/config.ts'
import { describeSettings } from '../src/operator/commands.ts'
import { settings } from '../src/settings.ts'

t.test('has the documented defaults', async t => {
  const defaults = {
    host: '127.0.0.1',
    port: 3000,
    dataDir: resolve('data'),
    trustProxy: false,
    signUp: 'open',
    rateLimit: true,
    rates: { reads: 10_000, writes: 1000, refusals: 20 },
    connections: 10_000,
    logLevel: 'info',
    logRequests: 'writes',
    logFormat: 'auto',
    corsOrigins: '*',
    limits: {
      namespaceBody: 8 * 2 ** 20,
      pushBody: 64 * 2 ** 20,
      keyBody: 256 * 2 ** 10,
      body: 16 * 2 ** 10,
      allBodies: 512 * 2 ** 20,
    },
    streams: { perOrganization: 1000, perCredential: 100, waiting: 2 ** 20 },
    cacheBytes: 64 * 2 ** 20,
    gitProcesses: 8,
    metrics: { for: 'local' },
    backupCheckDays: 7,
  }
  t.strictSame(readConfig({}), defaults)
  t.strictSame(readConfig({ PORT: '', HOST: ' ', TRUST_PROXY: '' }), defaults, 'a blank variable is none')
})

t.test('derives the sign-up mode from the address of the server', async t => {
  for (const HOST of ['127.0.0.1', '127.8.8.8', '::1', 'localhost']) t.equal(readConfig({ HOST }).signUp, 'open', HOST)
  for (const HOST of ['0.0.0.0', '::', '192.168.0.2', 'parlance.example.com', '127.example.com']) {
    t.equal(readConfig({ HOST }).signUp, 'invite', HOST)
  }
  t.equal(readConfig({ HOST: '0.0.0.0', SIGN_UP: 'open' }).signUp, 'open')
  t.equal(readConfig({ SIGN_UP: 'closed' }).signUp, 'closed')
})

t.test('uses SIGN_UP=invite when a proxy or BASE_URL shows that the server is public', async t => {
  const hosts = { '127.0.0.1': false, '::1': false, localhost: false, '0.0.0.0': true, '192.168.0.2': true }
  const proxies = { '': false, false: false, 0: false, true: true, 1: true, loopback: true, '10.0.0.0/8': true }
  const urls = {
    ...{ '': false, 'http://localhost:3000': false, 'http://127.0.0.1:8080/parlance': false, 'https://[::1]/': false },
    ...{ 'https://parlance.example.com': true, 'http://192.168.0.2:3000': true, 'http://[2001:db8::1]': true },
    ...{ 'https://localhost.example.com/translations': true, 'HTTPS://PARLANCE.EXAMPLE.COM/': true },
  }
  for (const [HOST, onNetwork] of Object.entries(hosts)) {
    for (const [TRUST_PROXY, byProxy] of Object.entries(proxies)) {
      for (const [BASE_URL, byUrl] of Object.entries(urls)) {
        const env = { HOST, TRUST_PROXY, BASE_URL }
        const expected = onNetwork || byProxy || byUrl ? 'invite' : 'open'
        t.equal(readConfig(env).signUp, expected, JSON.stringify(env))
        for (const SIGN_UP of ['open', 'invite', 'closed']) t.equal(readConfig({ ...env, SIGN_UP }).signUp, SIGN_UP)
      }
    }
  }
})

t.test('values', async t => {
  const trust = (TRUST_PROXY: string) => readConfig({ TRUST_PROXY }).trustProxy
  t.equal(trust('true'), true)
  t.equal(trust('2'), 2)
  t.strictSame(trust('loopback, 10.0.0.0/8,fd00::/8'), ['loopback', '10.0.0.0/8', 'fd00::/8'])
  const limit = (BODY_LIMIT: string) => readConfig({ BODY_LIMIT, BODY_MEMORY: '2GiB' }).limits.body
  t.equal(limit('65536'), 65_536)
  t.equal(limit('64KiB'), 65_536)
  t.equal(limit('1 mib'), 2 ** 20)
  t.equal(limit('1GiB'), 2 ** 30)
  t.equal(readConfig({ BASE_URL: 'https://x.example.com/sub/' }).baseUrl, 'https://x.example.com/sub')
  t.strictSame(readConfig({ CORS_ORIGINS: 'https://A.example.com, http://localhost:5173' }).corsOrigins, [
    'https://a.example.com',
    'http://localhost:5173',
  ])
  const token = 'a-token-of-16-or-more'
  const metrics = (METRICS: string, METRICS_TOKEN = '') => readConfig({ METRICS, METRICS_TOKEN }).metrics
  t.strictSame(metrics('', token), { for: 'bearer', token })
  t.strictSame(metrics('token', token), { for: 'bearer', token })
  t.strictSame(metrics('local', token), { for: 'local' })
  t.strictSame(metrics('off', token), { for: 'nobody' })
  t.equal(readConfig({ RATE_LIMIT: 'off', READ_RATE: '5' }).rates, undefined)
  t.strictSame(readConfig({ READ_RATE: '5' }).rates, { reads: 5, writes: 1000, refusals: 20 })
  t.equal(readConfig({ DATA_DIR: '/srv/parlance' }).dataDir, '/srv/parlance')
  t.equal(readConfig({ MACHINES_FILE: 'machines.json' }).machinesFile, resolve('machines.json'))
  t.throws(() => readConfig({ MACHINES_FILE: 'a\0b' }), {
    message: /^MACHINES_FILE must be empty, or the path of a file/,
  })
})

t.test('rejects a wrong value with one line that names setting, value and allowed values', async t => {
  const wrong: [string, string[]][] = [
    ['HOST', ['a b', 'http://x', 'x/y']],
    ['PORT', ['65536', '-1', 'abc', '3000.5', '0x10', '1e3', '3000 4000']],
    ['BASE_URL', ['parlance.example.com', 'ftp://x', 'https://x/?a', 'https://x/#a', 'https://u@x']],
    ['TRUST_PROXY', ['yes', '-1', '10.0.0.0/33', '1.2.3', ',', 'example.com', '::/129']],
    ['SIGN_UP', ['yes', 'Open']],
    ['RATE_LIMIT', ['true', '1']],
    ['READ_RATE', ['0', '-1', '1.5', 'x', '1000001']],
    ['WRITE_RATE', ['0', 'off']],
    ['REFUSAL_RATE', ['0', '1e3']],
    ['MAX_CONNECTIONS', ['0', 'x']],
    ['EVENT_STREAMS', ['0', 'x']],
    ['EVENT_STREAMS_PER_CREDENTIAL', ['-1']],
    ['EVENT_STREAM_BUFFER', ['0', '1 page']],
    ['BODY_MEMORY', ['0', 'x']],
    ['LOG_LEVEL', ['verbose']],
    ['LOG_REQUESTS', ['some']],
    ['CORS_ORIGINS', ['https://x/path', 'x.example.com', '*,https://x', ',']],
    ['PUSH_BODY_LIMIT', ['0', '64MB']],
    ['NAMESPACE_BODY_LIMIT', ['0', '8MB', '-1', '1.5MiB', 'big', '999999GiB']],
    ['KEY_BODY_LIMIT', ['x']],
    ['BODY_LIMIT', ['x']],
    ['CACHE_BYTES', ['x']],
    ['GIT_PROCESSES', ['0', '-1', 'x', '1001']],
    ['METRICS', ['on', 'public', 'token']],
  ]
  for (const [name, values] of wrong) {
    for (const value of values) {
      try {
        readConfig({ [name]: value })
        t.fail(`${name}=${value} was taken`)
      } catch (error) {
        const { code, message } = error as { code: string; message: string }
        t.equal(code, 'invalid')
        t.match(message, /^[^\n]+$/)
        t.ok(message.startsWith(`${name} must be `), message)
        t.ok(message.endsWith(`not ${JSON.stringify(value)}.`), message)
      }
    }
  }
})

t.test('does not quote a wrong secret', async t => {
  for (const METRICS_TOKEN of ['too-short', 'with spaces in the middle', 'ünïcödé-token-of-a-kind']) {
    try {
      readConfig({ METRICS_TOKEN })
      t.fail(`${METRICS_TOKEN} was taken`)
    } catch (error) {
      const { message } = error as Error
      t.match(message, /^METRICS_TOKEN must be [^\n]+, not what it is\.$/)
      t.notMatch(message, METRICS_TOKEN)
    }
  }
})

t.test('reads the backup address once, and does not quote a wrong one', async t => {
  t.equal(readConfig({}).backupRemote, undefined)
  t.equal(readConfig({ BACKUP_REMOTE: ' ' }).backupRemote, undefined)
  const { backupRemote } = readConfig({ BACKUP_REMOTE: 'https://x:hunter2@example.com/{organization}.git' })
  t.equal(backupRemote?.address('acme'), 'https://example.com/acme.git')
  for (const BACKUP_REMOTE of ['https://x:hunter2@example.com/all.git', 'hunter2']) {
    const expected = { code: 'invalid', message: /^BACKUP_REMOTE (?!.*hunter2)[^\n]*\{organization\}[^\n]*$/ }
    t.throws(() => readConfig({ BACKUP_REMOTE }), expected)
  }
})

t.test('reads the settings of a cluster, and quotes no password of PostgreSQL', async t => {
  const NODE_URL = 'http://10.0.0.1:3000/'
  t.equal(readConfig({}).cluster, undefined)
  const cluster = (CLUSTER: string, more = {}) => readConfig({ CLUSTER, NODE_URL, ...more }).cluster
  t.strictSame(cluster('postgres://u:p,w@a:5432,b,[::1]:5433/parlance?sslmode=verify-full'), {
    urls: ['a:5432', 'b', '[::1]:5433'].map(host => `postgres://u:p,w@${host}/parlance?sslmode=verify-full`),
    nodeUrl: 'http://10.0.0.1:3000',
    readsWithoutEngine: 60_000,
    managed: false,
  })
  t.strictSame(cluster('postgresql:///x?host=/run/postgresql')?.urls, ['postgresql:///x?host=/run/postgresql'])
  const more = { READS_WITHOUT_ENGINE: '0', CLUSTER_DURABILITY: 'managed' }
  t.match(cluster('postgres://a/b', more), { readsWithoutEngine: 0, managed: true })
  for (const CLUSTER of [
    'mysql://u:hunter2@a/b',
    'hunter2',
    'postgres://u:hunter2@a b/c',
    'postgres://u:hunter2@a,,b/c',
  ]) {
    t.throws(() => readConfig({ CLUSTER, NODE_URL }), { message: /^CLUSTER must be (?!.*hunter2)[^\n]+what it is\.$/ })
  }
  t.throws(() => readConfig({ CLUSTER: 'postgres://u:hunter2@a/b' }), { message: /^NODE_URL must be set with CLUSTER/ })
  t.throws(() => readConfig({ NODE_URL }), { message: /^CLUSTER must be set with NODE_URL/ })
})

t.test('reads the interval between checks of a backup', async t => {
  t.equal(readConfig({ BACKUP_CHECK_DAYS: '0' }).backupCheckDays, 0)
  for (const BACKUP_CHECK_DAYS of ['-1', '366', 'weekly']) {
    t.throws(() => readConfig({ BACKUP_CHECK_DAYS }), {
      message: /^BACKUP_CHECK_DAYS must be a whole number from 0 to 365/,
    })
  }
})

t.test('lists every setting with its default in README', async t => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, table = ''] = /## Settings\n([\s\S]*?)\n## /.exec(readme) ?? []
  const rows = table.split('\n').filter(line => line.startsWith('| `'))
  const told = new Map(
    rows.flatMap(row => {
      const [names = '', defaults = ''] = row.split('|').slice(1)
      return names.split(/[ ,(]/).map(name => [name.replace(/`/g, ''), defaults] as const)
    }),
  )
  for (const [name, { default: otherwise }] of Object.entries(settings)) {
    const defaults = told.get(name)
    if (name === 'OIDC_CLIENT_SECRET_FILE') t.match(table, '`OIDC_CLIENT_SECRET` (or `…_FILE`)')
    else if (otherwise === '' || name === 'OIDC_NAME') t.ok(defaults, name)
    else t.match(defaults, otherwise, name)
  }
})

t.test('lists every setting in the help', async t => {
  const help = describeSettings()
  const names = [
    'HOST',
    'PORT',
    'DATA_DIR',
    'BASE_URL',
    'TRUST_PROXY',
    'SIGN_UP',
    'RATE_LIMIT',
    'LOG_LEVEL',
    'LOG_REQUESTS',
  ]
  names.push(
    'CORS_ORIGINS',
    'NAMESPACE_BODY_LIMIT',
    'PUSH_BODY_LIMIT',
    'KEY_BODY_LIMIT',
    'BODY_LIMIT',
    'CACHE_BYTES',
    'GIT_PROCESSES',
  )
  names.push('BACKUP_REMOTE', 'BACKUP_CHECK_DAYS')
  names.push('CLUSTER', 'NODE_URL', 'READS_WITHOUT_ENGINE', 'CLUSTER_DURABILITY')
  names.push(
    'SMTP_URL',
    'MAIL_FROM',
    'METRICS',
    'METRICS_TOKEN',
    'READ_RATE',
    'WRITE_RATE',
    'REFUSAL_RATE',
    'MAX_CONNECTIONS',
    'BODY_MEMORY',
  )
  names.push('EVENT_STREAMS', 'EVENT_STREAMS_PER_CREDENTIAL', 'EVENT_STREAM_BUFFER')
  for (const name of names) t.match(help, new RegExp(`^ {2}${name} `, 'm'))
  t.match(help, '[default: 3000]')
  for (const line of help.split('\n')) t.ok(line.length <= 100, line)
})

t.test('requires all settings of an OpenID provider, and never quotes its secret', async t => {
  const file = join(t.testdir({ secret: 'from-a-file\n', empty: '\n', two: 'a\nb\n' }), 'secret')
  const whole = {
    BASE_URL: 'https://parlance.example.com/',
    OIDC_ISSUER: 'https://login.example.com/realms/acme',
    OIDC_CLIENT_ID: 'parlance',
    OIDC_CLIENT_SECRET: 'hunter2',
  }
  t.equal(readConfig({ ...whole, OIDC_ISSUER: '' }).oidc, undefined)
  t.strictSame(readConfig(whole).oidc, {
    issuer: 'https://login.example.com/realms/acme',
    clientId: 'parlance',
    clientSecret: 'hunter2',
    name: 'The sign-in provider',
    baseUrl: 'https://parlance.example.com',
  })
  const fromFile = { ...whole, OIDC_CLIENT_SECRET: '', OIDC_CLIENT_SECRET_FILE: file }
  t.equal(readConfig(fromFile).oidc?.clientSecret, 'from-a-file')
  t.ok(readConfig({ ...whole, OIDC_ISSUER: 'http://localhost:9000' }).oidc)
  t.ok(readConfig({ ...whole, OIDC_ISSUER: 'http://[::1]:9000' }).oidc)
  const table: [Record<string, string>, RegExp][] = [
    [{ ...whole, BASE_URL: '' }, /^BASE_URL must be set with OIDC_ISSUER/],
    [{ ...whole, OIDC_CLIENT_ID: '' }, /^OIDC_CLIENT_ID must be set/],
    [{ ...whole, OIDC_CLIENT_SECRET: '' }, /^OIDC_CLIENT_SECRET or OIDC_CLIENT_SECRET_FILE must be set/],
    [{ ...whole, OIDC_CLIENT_SECRET: 'hunter2 hunter2' }, /^OIDC_CLIENT_SECRET must be .*, not what it is\.$/],
    [{ ...whole, OIDC_CLIENT_SECRET_FILE: file }, /must not both be set/],
    [{ ...fromFile, OIDC_CLIENT_SECRET_FILE: `${file}x` }, /^OIDC_CLIENT_SECRET_FILE must be the path/],
    [{ ...fromFile, OIDC_CLIENT_SECRET_FILE: file.replace(/secret$/, 'empty') }, /^OIDC_CLIENT_SECRET_FILE must be/],
    [{ ...fromFile, OIDC_CLIENT_SECRET_FILE: file.replace(/secret$/, 'two') }, /^OIDC_CLIENT_SECRET_FILE must be/],
    [{ ...whole, OIDC_ISSUER: 'http://login.example.com' }, /^OIDC_ISSUER must be/],
    [{ ...whole, OIDC_ISSUER: 'login.example.com' }, /^OIDC_ISSUER must be/],
    [{ ...whole, OIDC_ISSUER: 'https://login.example.com/?a=b' }, /^OIDC_ISSUER must be/],
  ]
  for (const [env, message] of table) {
    try {
      readConfig(env)
      t.fail(`${JSON.stringify(env)} was taken`)
    } catch (error) {
      t.match(error, { code: 'invalid', message })
      t.notMatch((error as Error).message, 'hunter2')
    }
  }
})

t.test('requires the sender and the address of a mail server, and never quotes its password', async t => {
  const url = 'smtps://bot%40example.com:hunter2@mail.example.com:465'
  const whole = { SMTP_URL: url, MAIL_FROM: 'Parlance <p@example.com>', BASE_URL: 'https://parlance.example.com/' }
  t.equal(readConfig({ ...whole, SMTP_URL: '' }).mail, undefined)
  const mail = { url, from: 'Parlance <p@example.com>', baseUrl: 'https://parlance.example.com' }
  t.strictSame(readConfig(whole).mail, mail)
  for (const SMTP_URL of ['smtp://127.0.0.1:25', 'smtp://[::1]:25', 'SMTP://mail.example.com/']) {
    t.equal(readConfig({ ...whole, SMTP_URL, MAIL_FROM: 'p@example.com' }).mail?.url, SMTP_URL)
  }
  const table: [Record<string, string>, RegExp][] = [
    [{ ...whole, BASE_URL: '' }, /^BASE_URL must be set with SMTP_URL/],
    [{ ...whole, MAIL_FROM: '' }, /^MAIL_FROM must be set with SMTP_URL/],
    ...['p', 'p@a, q@a', '<p@a', 'P <p@a', 'P\r\nBcc: x <p@a>', 'P <p@a> <q@a>'].map(
      (MAIL_FROM): [Record<string, string>, RegExp] => [{ ...whole, MAIL_FROM }, /^MAIL_FROM must be an address/],
    ),
    ...[`${url}?pool=true`, `${url}/path`, `${url}#x`, 'https://hunter2@a.example', 'smtp://', 'smtp://a:%zz@b'].map(
      (SMTP_URL): [Record<string, string>, RegExp] => [
        { ...whole, SMTP_URL },
        /^SMTP_URL must be .*, not what it is\.$/,
      ],
    ),
  ]
  for (const [env, message] of table) {
    try {
      readConfig(env)
      t.fail(`${JSON.stringify(env)} was accepted`)
    } catch (error) {
      t.match(error, { code: 'invalid', message })
      t.notMatch((error as Error).message, 'hunter2')
    }
  }
})

t.test('warns about names that resemble settings', async t => {
  const table: [name: string, value: string, meant: string | undefined][] = [
    ['SIGNUP', 'closed', 'SIGN_UP'],
    ['SING_UP', 'closed', 'SIGN_UP'],
    ['SIGN_UPS', 'closed', 'SIGN_UP'],
    ['sign_up', 'closed', 'SIGN_UP'],
    ['CORS_ORIGIN', '*', 'CORS_ORIGINS'],
    ['BACKUP_REMOTE_URL', 'x', 'BACKUP_REMOTE'],
    ['TRUSTPROXY', '1', 'TRUST_PROXY'],
    ['PARLANCE_PORT', '8080', 'PORT'],
    ['PARLANCE_DATA_DIR', '/srv', 'DATA_DIR'],
    ['PARLANCE_SIGNUP', 'closed', 'SIGN_UP'],
    ['PARLANCE_COLOUR', 'red', undefined],
  ]
  for (const [name, value, meant] of table) {
    const instead = meant ? `did you mean ${meant}?` : 'see parlance serve --help for all settings'
    t.strictSame(oddNames({ [name]: value }, []), [
      `${name} is not a setting of Parlance and changes nothing; ${instead}`,
    ])
  }
  const common = {
    ...Object.fromEntries(Object.keys(settings).map(name => [name, 'x'])),
    ...Object.fromEntries(
      `
      PATH HOME HOSTNAME LANG LC_ALL TERM SHELL USER LOGNAME PWD OLDPWD SHLVL _ TZ TMPDIR EDITOR DISPLAY MAIL NODE_ENV NODE_VERSION
      NODE_OPTIONS NODE_PATH YARN_VERSION npm_config_cache npm_package_name npm_lifecycle_event INIT_CWD INVOCATION_ID JOURNAL_STREAM
      SYSTEMD_EXEC_PID STATE_DIRECTORY CREDENTIALS_DIRECTORY KUBERNETES_SERVICE_HOST KUBERNETES_PORT DATABASE_URL REDIS_URL LOG_STYLE
      LOG_DIR CI GITHUB_TOKEN RUNNER_OS BASE_PATH DATA_PATH HTTP_PROXY HTTPS_PROXY NO_PROXY CACHE_DIR HOSTS PORTS POST SSH_AUTH_SOCK
      SSH_CONNECTION GIT_DIR GIT_AUTHOR_NAME XDG_RUNTIME_DIR DOCKER_HOST COMPOSE_PROJECT_NAME SENTRY_DSN OTEL_SERVICE_NAME METRICS_PORT
      METRICS_ENABLED OIDC_TOKEN OIDC_REQUEST_URL HOST_IP PORT_HTTP SIGN_KEY BACKUP_DIR RATE READ_ONLY`
        .trim()
        .split(/\s+/)
        .map(name => [name, 'x']),
    ),
    // Every variable of the CLI, in any file.
    ...Object.fromEntries(
      readdirSync(join(import.meta.dirname, '../src/cli'), { recursive: true, encoding: 'utf8' })
        .filter(file => file.endsWith('.ts'))
        .flatMap(
          file =>
            readFileSync(join(import.meta.dirname, '../src/cli', file), 'utf8').match(/\bPARLANCE_[A-Z]+\b/g) ?? [],
        )
        .filter(name => name !== 'PARLANCE_VERSION')
        .map(name => [name, 'x']),
    ),
    PARLANCE_SERVICE_HOST: '10.0.0.1',
    PARLANCE_SERVICE_PORT: '3000',
    PARLANCE_SERVICE_PORT_HTTP: '3000',
    PARLANCE_PORT: 'tcp://10.0.0.1:3000',
    PARLANCE_PORT_3000_TCP: 'tcp://10.0.0.1:3000',
    PARLANCE_PORT_3000_TCP_PROTO: 'tcp',
    PARLANCE_PORT_3000_TCP_ADDR: '10.0.0.1',
    METRICS_SERVICE_PORT: '9090',
  }
  t.strictSame(oddNames(common, CLIENT_VARIABLES), [], 'nothing is said of what environments hold anyway')
})

t.test('rejects a maximum body above the memory for all bodies', async t => {
  const { limits } = readConfig({ BODY_MEMORY: '4MiB', PUSH_BODY_LIMIT: '1GiB' })
  t.strictSame(limits, {
    namespaceBody: 2 ** 22,
    pushBody: 2 ** 22,
    keyBody: 2 ** 18,
    body: 2 ** 14,
    allBodies: 2 ** 22,
  })
})
