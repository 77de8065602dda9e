/** `parlance doctor`: checks the needs of the commands, each with a remedy. */
import { execFile } from 'node:child_process'
import { versions } from 'node:process'
import { promisify } from 'node:util'
import type { AcceptedAnswer } from '../api/client.ts'
import { type Manifest, needManifest } from '../api/key-name.ts'
import { anything } from '../api/shape.ts'
import { isLoopback } from '../config/url.ts'
import type { Context, Run } from '../context.ts'
import { faultsIn } from '../local/faults.ts'
import { leftOutText } from '../local/left-out.ts'
import type { LocalProject } from '../local/types.ts'
import { Problem } from '../problem.ts'
import { compare } from '../sync/compare.ts'
import { goneIn } from '../sync/gone.ts'
import { localFiles, localProject, openScope } from '../sync/scope.ts'
import { readServer } from '../sync/server-bundles.ts'
import { counted } from '../terminal/table.ts'
import { padded, widthOf } from '../terminal/width.ts'
import { interpolationDiffers, nameIn } from './init-app.ts'
import { callerOf, type TokenInfo } from './whoami.ts'

/** The result of a check. */
interface Finding {
  state: 'ok' | 'warn' | 'fail'
  says: string
  /** The remedy. */
  hint?: string
}

type Check = Finding & { name: string }

const ok = (says: string): Finding => ({ state: 'ok', says })
const warn = (says: string, hint?: string): Finding => ({ state: 'warn', says, ...(hint !== undefined && { hint }) })
const fail = (says: string, hint: string): Finding => ({ state: 'fail', says, hint })

/** Minimum difference in seconds for a warning about the clock: `--at <time>` is by the server's. */
const MAX_DRIFT = 60

/**
 * With `--json`: `{ checks: [ { name, state, says, hint? } ] }`; `state` is ok, warn or fail, `name` one of settings,
 * node, git, server, clock, version, token, project, files, languages, syntax, push. `syntax` needs placeholders in the
 * i18next config. Exit code 1 after a fail.
 */
export const run: Run = async context => {
  const checks: Check[] = []
  const look = async <T>(name: string, find: () => Promise<Finding & { found?: T }>): Promise<T | undefined> => {
    const { found, ...finding } = await find().catch((error): Finding & { found?: T } => failing(error))
    checks.push({ name, ...finding })
    return found
  }
  let asked: Promise<Manifest> | undefined
  const project = () => (asked ??= needManifest(context))
  await look('settings', () => lookAtSettings(context))
  // The program itself refuses an older one.
  await look('node', async () => ok(versions.node))
  await look('git', () => lookAtGit(context))
  const answer = await look('server', () => lookAtServer(context))
  if (answer) {
    await look('clock', async () => clockOf(answer))
    const who = await look('token', () => lookAtToken(context))
    if (who?.version) await look('version', async () => versionOf(who.version!, context.version()))
    if (who) await look('project', async () => projectOf(await context.project(), await project()))
  }
  const app = await look('files', () => lookAtFiles(context))
  if (app && answer) {
    await look('languages', async () => lookAtLanguages(app, await project()))
    if (app.pluralFault || app.interpolation || app.interpolationFault)
      await look('syntax', () => lookAtSyntax(app, project))
    await look('push', () => lookAtPush(context, app))
  }
  await context.print({ checks }, () => checks.map(check => shown(context, check)).join('\n'))
  return checks.some(({ state }) => state === 'fail') ? 1 : 0
}

function failing(error: unknown): Finding {
  if (!(error instanceof Problem)) return { state: 'fail', says: (error as Error).message }
  const { hint, data, ...where } = error.where
  const says = new Problem(error.message, where).sentence.replaceAll('\n', `\n${' '.repeat(MARGIN - 2)}`)
  return { state: 'fail', says, ...(hint !== undefined && { hint }), ...data }
}

/** The width of a state, a name and the space behind each. */
const MARGIN = widthOf('fail') + 9 + 4

function shown({ terminal: { style } }: Context, { name, state, says, hint }: Check): string {
  const colour = { ok: 'green', warn: 'yellow', fail: 'red' } as const
  const head = `${style(colour[state], padded(state, 4))}  ${padded(name, 9)}  `
  const margin = ' '.repeat(MARGIN)
  return [head + says, ...(hint === undefined ? [] : [margin + hint])].join('\n')
}

async function lookAtSettings(context: Context): Promise<Finding> {
  const { root, url, token, project } = await context.settings()
  const lacking = Object.entries({ url, project, token }).filter(([, { value }]) => value === undefined)
  const says = `${root.value} (${root.origin}); url from ${url.origin}, project from ${project.origin}, token from ${token.origin}`
  if (lacking.length === 0) return ok(says)
  return fail(
    says,
    'Run `parlance login` and `parlance init`, or set PARLANCE_URL, PARLANCE_TOKEN and PARLANCE_PROJECT.',
  )
}

async function lookAtGit({ env, settings }: Context): Promise<Finding> {
  const git = (...options: string[]) => promisify(execFile)('git', options, { env: { ...env, LC_ALL: 'C' } })
  const found = await git('--version').catch(() => undefined)
  const why = 'it distinguishes older texts from edits.'
  if (!found) {
    const hint = `\`parlance clone\` needs it, and a push after a switch of branches: ${why}`
    return warn('not found by PATH', hint)
  }
  const says = found.stdout.trim().replace(/^git version /, '')
  const root = (await settings().catch(() => undefined))?.root.value ?? '.'
  const refusal = await git('-C', root, 'rev-parse').then(
    () => '',
    ({ stderr }) => String(stderr),
  )
  // Such as a checkout of another user in a container. A folder outside a repository is fine.
  const [, remedy] = /dubious ownership.*^\s*(git config [^\n]+)$/ms.exec(refusal) ?? []
  if (remedy === undefined) return ok(says)
  return warn(`${says} refuses this folder, which another user owns`, `\`${remedy}\`: ${why}`)
}

async function lookAtServer(context: Context): Promise<Finding & { found: Pick<AcceptedAnswer<unknown>, 'headers'> }> {
  const api = await context.api()
  const found = await api.ask('GET', 'health', anything, { accept: [200, 503] })
  const says = api.url.href
  if (found.status === 503) return { state: 'fail', says: `${says}: ${found.error ?? 'it is not well'}`, found }
  if (api.url.protocol === 'https:' || isLoopback(api.url.hostname)) return { ...ok(says), found }
  return { ...warn(says, 'Without TLS everybody on the network path can read the token: use https.'), found }
}

function clockOf({ headers }: Pick<AcceptedAnswer<unknown>, 'headers'>): Finding {
  const seconds = Math.round((Date.now() - Date.parse(headers.date ?? '')) / 1000)
  if (Number.isNaN(seconds)) return warn('the server does not send its time')
  if (Math.abs(seconds) < MAX_DRIFT) return ok('as the server has it')
  const says = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the server`
  return warn(says, 'Set the clock: `--at <time>` goes by the server.')
}

function versionOf(server: string, own: string): Finding {
  if (server === own) return ok(own)
  return warn(`${own}, and the server is ${server}`, 'Install the CLI of the server, from its /cli.')
}

async function lookAtToken(context: Context): Promise<Finding & { found: TokenInfo }> {
  // The line itself reports an older server.
  const who = await callerOf({ ...context, err: async () => {} }, await context.api())
  if (who.name === null) return { ...ok('valid; this server does not report its scope'), found: who }
  const says = `${who.name} of ${who.organization?.name}, scope ${who.scope}`
  if (who.scope === 'write') return { ...ok(says), found: who }
  return { ...warn(says, 'It is enough for pull and status; push, undo and the like need scope write.'), found: who }
}

function projectOf(project: string, { sourceLanguage, languages, namespaces, defaultFormat }: Manifest): Finding {
  const says = `${project}: ${defaultFormat}, from ${sourceLanguage}, ${counted(languages.length, 'language')}, ${counted(namespaces.length, 'namespace')}`
  return ok(says)
}

/** Reads each file as a push would. */
async function lookAtFiles(context: Context): Promise<Finding & { found: LocalProject }> {
  const app = await localProject(context)
  const faults = await faultsIn(app)
  if (faults) throw faults
  const files = await app.find()
  const { languages, origins } = app
  const says = `${counted(files.length, 'file')} in ${languages.join(', ')} (languages from ${origins.languages})`
  const [left, ...lines] = leftOutText('left out', await app.leftOut())
  if (left !== undefined) {
    const hint = lines.map(line => line.trim()).join(`\n${' '.repeat(MARGIN)}`)
    return { ...warn(`${says}; ${left}`, hint), found: app }
  }
  if (files.length > 0) return { ...ok(says), found: app }
  return { ...warn(says, 'Run `parlance pull`, or extract the keys first.'), found: app }
}

async function lookAtLanguages(app: LocalProject, json: Manifest): Promise<Finding> {
  if (json.sourceLanguage !== app.sourceLanguage) {
    return fail(
      `the source language is ${app.sourceLanguage} here and ${json.sourceLanguage} on the server`,
      'Pushes overwrite texts of the source language alone: say the same in `sourceLanguage`, or primaryLanguage of i18next-cli.',
    )
  }
  const only = (all: string[], others: string[]) => all.filter(language => !others.includes(language))
  const [here, there] = [only(app.languages, json.languages), only(json.languages, app.languages)]
  if (here.length + there.length === 0) return ok('the same here and on the server')
  const young = here.length > 0 ? [`nothing is pushed yet of ${here.join(', ')}`] : []
  if (there.length === 0) return ok(young.join())
  return warn(
    [...young, `only on the server: ${there.join(', ')}`].join('; '),
    'A pull does not write languages that your config does not name.',
  )
}

/** Checks plural forms, and compares how the app and its project write placeholders. */
async function lookAtSyntax(
  { interpolation, interpolationFault, pluralFault }: LocalProject,
  project: () => Promise<Manifest>,
): Promise<Finding> {
  if (pluralFault) return warn(pluralFault)
  if (interpolation === undefined) return warn(`placeholders are not compared: ${interpolationFault}`)
  const differs = interpolationDiffers(interpolation, await project())
  return differs ? warn(differs.says, differs.hint) : ok(`placeholders are ${nameIn(interpolation)}`)
}

/** Compares as a push would. */
async function lookAtPush(context: Context, app: LocalProject): Promise<Finding> {
  const scope = await openScope(context, app, {})
  const server = (await readServer(scope.api, scope.project))!
  const { pairs, format } = await localFiles(scope, server)
  const { differing } = await compare({ ...scope, format }, pairs, server)
  const push = differing.reduce((sum, { merged }) => sum + merged.push.length, 0)
  const conflicts = differing.reduce((sum, { merged }) => sum + merged.conflicts.length, 0)
  const gone = goneIn(differing).map(({ file }) => file.path)
  const says = [
    `${counted(push, 'text')} to push`,
    ...(gone.length > 0 ? [`${counted(gone.length, 'deleted file')} still on the server: ${gone.join(', ')}`] : []),
  ].join(', ')
  if (conflicts === 0) return ok(says)
  const hint = 'They changed here and on the server: `parlance pull` asks for a decision.'
  return warn(`${says}, ${counted(conflicts, 'conflict')}`, hint)
}
