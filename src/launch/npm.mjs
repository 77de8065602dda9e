/** npm as the launcher runs it: independent of the user's npm settings, and with a sentence of ours when it fails. */
import { spawnSync } from 'node:child_process'
import { end, endLike } from './processes.mjs'

/** The oldest npm that reads the lock file and its workspaces. Node 18.0 came with it. */
const OLDEST_NPM = 8
/** Milliseconds between two lines that say that npm is still at work. */
const STILL_AT_WORK = 60_000
/** Lines of npm's own text below our sentence. */
const MAX_LINES = 12

/**
 * Every setting of a user, a machine or the environment that would change what is installed or where. Flags win over
 * all of them. npm 9 to 12 know each of these; an unknown one is only a warning to older ones.
 */
const SETTINGS = [
  // No package needs its install script: `test/launch/scripts.test.ts` looks.
  '--ignore-scripts',
  ...['prod', 'dev', 'optional', 'peer'].map(kind => `--include=${kind}`),
  ...['--location=project', '--no-global', '--no-dry-run', '--no-package-lock-only', '--bin-links'],
  ...['--install-strategy=hoisted', '--no-install-links', '--no-engine-strict'],
  ...['--no-legacy-peer-deps', '--no-strict-peer-deps', `--os=${process.platform}`, `--cpu=${process.arch}`],
  // What is read of its errors.
  ...['--no-audit', '--no-fund', '--no-update-notifier', '--no-color', '--no-json', '--loglevel=error'],
]

/** What an error code of npm or of the system means, and what to do: the first row that fits. */
const CAUSES = [
  [
    /^(ENOTFOUND|EAI_\w+|ECONN\w+|ETIMEDOUT|ENET\w+|EHOST\w+|EIDLETIMEOUT|EPROTO|EPIPE|ERR_(SOCKET|INVALID)_\w+|FETCH_ERROR)$/,
    'the npm registry cannot be reached. Check the network, the proxy (`npm config get https-proxy`) and ' +
      '`npm config get registry`.',
  ],
  [
    /(CERT|SSL|TLS|SIGNED|SIGNATURE)/,
    'the certificate of the npm registry is not trusted. Give npm the one of your proxy: ' +
      '`npm config set cafile <file>`.',
  ],
  [
    /^(E401|E403|E407|ENEEDAUTH|EOTP)$/,
    'the npm registry refuses access. Check `npm config get registry` and `npm login`.',
  ],
  [
    /^(E404|ETARGET|ENOVERSIONS)$/,
    'the npm registry does not offer a package. Check `npm config get registry`, `before` and `min-release-age`.',
  ],
  [/^E[45]\d\d$/, 'the npm registry answers with an error. Try again later, or check `npm config get registry`.'],
  [/^ENOTCACHED$/, 'npm is set to work offline and its cache lacks a package. Run `npm config delete offline`.'],
  [
    /^(EACCES|EPERM|EROFS)$/,
    "this user may not write to a folder. Allow it to write to the clone and npm's cache (`npm config get cache`).",
  ],
  [/^(ENOSPC|EDQUOT)$/, 'the disk is full. Packages need 500 MB in the clone, and npm 200 MB for its cache.'],
  [
    /^(EMFILE|ENFILE|ENOMEM)$/,
    'this machine is short of memory or open files. End other programs, or raise `ulimit -n`.',
  ],
  [
    /^(EINTEGRITY|Z_\w+|TAR_\w+|EBADTARBALL)$/,
    'a downloaded package is not the locked one. Run `npm cache clean --force`, or ask who runs the proxy or mirror.',
  ],
  [/^(EUSAGE|EJSONPARSE|ELOCK\w*)$/, 'package.json and package-lock.json are changed or damaged. Run `git status`.'],
]

/**
 * Runs npm to its end. On failure throws an Error that begins with `failed` and a sentence of what to do.
 * @param argv its arguments, without settings
 * @param failed what does not work without it, e.g. `The packages were not installed`
 * @param cwd the folder to run it in
 */
export async function runNpm(argv, failed, cwd) {
  checkVersion(failed)
  const waiting = () => console.error('npm is still at work. A slow network or registry is the usual reason.')
  const timer = setInterval(waiting, STILL_AT_WORK)
  const [code, signal, errors] = await end('npm', [...argv, ...SETTINGS], { cwd, stdio: ['inherit', 2, 'pipe'] })
  clearInterval(timer)
  if (signal === 'SIGINT' || signal === 'SIGTERM' || signal === 'SIGHUP') endLike([code, signal])
  if (signal) throw new Error(`${failed}: ${signal} ended npm. The machine may be short of memory. Try again.`)
  if (code !== 0) throw npmFailure(failed, codeOf(errors), errors)
}

/**
 * An Error of a failed installation.
 * @param code npm's or the system's, e.g. `ENOSPC`
 * @param text what npm or the system said
 */
export function npmFailure(failed, code = '', text = '') {
  const [, cause] = CAUSES.find(([pattern]) => pattern.test(code)) ?? []
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const shown = lines.length === 0 ? 'It said nothing.' : `It said:\n${lines.slice(0, MAX_LINES).join('\n')}`
  return new Error(`${failed}: ${cause ?? 'npm failed. Remove node_modules and try again.'} ${shown}`)
}

/** By `npm error code X` of npm 10 and newer, `npm ERR! code X` of older ones; the first word is a setting. */
const codeOf = errors => /^\S+ (?:error|ERR!) code (\S+)/m.exec(errors)?.[1]

function checkVersion(failed) {
  const { error, stdout = '' } = spawnSync('npm', ['--version'], { encoding: 'utf8' })
  if (error) {
    throw new Error(`${failed}: there is no npm in PATH (${error.code}). Install npm, which comes with Node.`)
  }
  const version = stdout.trim()
  if (Number.parseInt(version, 10) < OLDEST_NPM) {
    throw new Error(`${failed}: npm ${version} is too old. Install npm ${OLDEST_NPM} or newer: it comes with Node 20.`)
  }
}
