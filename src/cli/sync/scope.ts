/** The scope of a pull or a push: the server's project, the app's files, and the state of the last sync. */
import { join, type LeafName, peel } from '../../bundle/message.ts'
import type { Format } from '../../bundle/names.ts'
import type { Bundle } from '../../bundle/resource.ts'
import type { Api } from '../api/client.ts'
import { shownUrl } from '../config/url.ts'
import type { Context } from '../context.ts'
import type { LocalFile } from '../local/local-bundle.ts'
import { openLocal } from '../local/open.ts'
import type { LocalProject } from '../local/types.ts'
import { usage } from '../problem.ts'
import { headOf } from './branches.ts'
import { type ComparedBundle, isKnownEqual, nameOf, type Pair, placeOf } from './compare.ts'
import type { Repository } from './git-texts.ts'
import { neverCommitted } from './gone.ts'
import { textOf } from './merge.ts'
import type { ServerBundles } from './server-bundles.ts'
import { type Origin, readState, type SyncState, writeState } from './state.ts'

/** Maximum interrupted pulls of a bundle in the state. Each costs one request at the next comparison. */
const MAX_INTERRUPTED = 4

/** Limits a command to some bundles; undefined: all. */
export interface Narrowing {
  language?: string[]
  namespace?: string[]
}

/** See the top of the file. */
export interface Scope {
  context: Context
  api: Api
  project: string
  local: LocalProject
  origin: Origin
  state: SyncState
  repository: Repository
  /** The branch that the app is on. */
  head: string | undefined
  /** Whether no state is written. */
  isStateless?: true
  /** Whether a bundle belongs to the app and is within the limits of this run. */
  has(file: Pick<LocalFile, 'language' | 'namespace'>): boolean
}

/** The result of a command, for printing. */
export interface CommandResult {
  code: 0 | 1
  document: object
  text: () => string
}

/** @throws Problem (exit 2) for settings that are missing or wrong */
export async function openScope(context: Context, local: LocalProject, narrowing: Narrowing): Promise<Scope> {
  const [api, project] = [await context.api(), await context.project()]
  const origin = { root: local.root, url: shownUrl(api.url), project }
  const repository = { root: local.root, env: context.env }
  const isOne = (names: string[] | undefined, name: string) => names === undefined || names.includes(name)
  return {
    context,
    api,
    project,
    local,
    origin,
    state: readState(origin),
    repository,
    head: await headOf(repository),
    has: ({ language, namespace }) =>
      (narrowing.language ?? local.languages).includes(language) &&
      isOne(narrowing.namespace ?? local.namespaces, namespace) &&
      !local.ignoredNamespaces.includes(namespace),
  }
}

/** The app's own files. @param leaveOut further rules for keys that are left out */
export async function localProject(context: Context, leaveOut: readonly string[] = []): Promise<LocalProject> {
  const { root, config } = await context.settings()
  return openLocal(root.value, { ...config, ignore: [...(config.ignore ?? []), ...leaveOut] })
}

/** @throws Problem (exit 2) with a language or namespace that the app does not have */
export async function needPart(local: LocalProject, { language = [], namespace = [] }: Narrowing): Promise<void> {
  const need = (what: string, asked: string[], all: readonly string[]) => {
    const lacking = asked.find(name => !all.includes(name))
    if (lacking === undefined) return
    throw usage(`The app has no ${what} ${JSON.stringify(lacking)}.`, { hint: `It has ${all.join(', ') || 'none'}.` })
  }
  need('language', language, local.languages)
  if (namespace.length === 0) return
  const found = (await local.find()).map(file => file.namespace)
  need('namespace', namespace, [...new Set([...(local.namespaces ?? []), ...found])])
}

/**
 * Reads the files of a scope, and finds the server's format for them.
 * @param server excludes files with the server's bytes: their names are in `equal`
 * @throws Problem for a file that is not i18next JSON
 */
export async function localFiles(
  { local, has, state, repository }: Scope,
  server?: ServerBundles,
): Promise<{ pairs: Pair[]; equal: string[]; format: Format }> {
  const all = await local.find()
  const files = all.filter(has)
  const isWhole = local.ignoredKeys.isEmpty
  const isKnown = (file: LocalFile, bytes: Buffer) => {
    const stored = server?.bundles.get(nameOf(file))
    return stored !== undefined && isWhole && (bytes.equals(stored) || isKnownEqual(state, nameOf(file), bytes, stored))
  }
  const known = new Set<LocalFile>()
  const bundles = await local.read(files, (file, bytes) => isKnown(file, bytes) && known.add(file).size > 0)
  const source = bundles.filter(({ file }) => file.language === local.sourceLanguage)
  return {
    pairs: [
      ...bundles.flatMap((bundle): Pair[] => (known.has(bundle.file) ? [] : [{ file: bundle.file, local: bundle }])),
      ...(await gonePairs({ local, has, state, repository }, all, local.format(source))),
    ],
    equal: Array.from(known, nameOf),
    format: local.format(source),
  }
}

/**
 * The bundles of deleted files. A folder without any file is a new one, and nothing in it counts as deleted.
 */
async function gonePairs(
  { local, has, state, repository }: Pick<Scope, 'local' | 'has' | 'state' | 'repository'>,
  files: readonly LocalFile[],
  format: Format,
): Promise<Pair[]> {
  if (files.length === 0) return []
  const here = new Set(files.map(nameOf))
  const gone = [...state.baseRevision.keys()].filter(name => !here.has(name)).map(placeOf)
  const paths = gone.filter(has).map(place => ({ ...place, path: local.pathOf(place.language, place.namespace) }))
  // git does not remove untracked files by itself, but it restores a merged file without its new namespaces.
  const back = local.layout === 'merged' ? await neverCommitted(repository, local, paths, format) : new Set()
  return paths.filter(file => !back.has(file)).map(file => ({ file, local: undefined, isGone: true }))
}

/** Records a revision as the merge base of bundles, except for leaves that rules leave out. */
export function recordBase(
  { state, head }: Scope,
  bundles: Iterable<string | Pick<ComparedBundle, 'name' | 'ignored'>>,
  revision: string,
): void {
  for (const bundle of bundles) {
    const { name, ignored } = typeof bundle === 'string' ? { name: bundle } : bundle
    for (const leaf of state.baseTexts.get(name)?.keys() ?? []) state.baseBranch.delete(`${name} ${leaf}`)
    recordBranch(state, name, head)
    state.baseRevision.set(name, revision)
    state.baseTexts.delete(name)
    if (ignored?.size) state.baseTexts.set(name, new Map(ignored))
    state.interruptedPulls.delete(name)
    state.unconfirmedPush.delete(name)
  }
}

function recordBranch({ baseBranch }: SyncState, name: string, head: string | undefined): void {
  if (head === undefined) baseBranch.delete(name)
  else baseBranch.set(name, head)
}

/** Records the texts of these leaves as merge base. */
export function recordTexts({ state, head }: Scope, name: string, bundle: Bundle, leaves: readonly LeafName[]): void {
  const texts = state.baseTexts.get(name) ?? new Map<string, string | null>()
  for (const leaf of leaves) {
    texts.set(join(leaf), textOf(bundle, leaf) ?? null)
    recordBranch(state, `${name} ${join(leaf)}`, head)
  }
  if (texts.size > 0) state.baseTexts.set(name, texts)
}

/**
 * Records the texts of a push before it is sent: its answer may be lost.
 * @param server the bundle before the push
 * @param after the bundle after it
 */
export function recordSending(
  scope: Scope,
  name: string,
  { server, after }: Record<'server' | 'after', Bundle>,
  leaves: readonly LeafName[],
): void {
  const sent = scope.state.unconfirmedPush.get(name) ?? new Map<string, string | null>()
  const confirmed = [...sent].filter(([leaf, text]) => text === (textOf(server, peel(leaf)) ?? null))
  recordTexts(
    scope,
    name,
    server,
    confirmed.map(([leaf]) => peel(leaf)),
  )
  for (const leaf of leaves) sent.set(join(leaf), textOf(after, leaf) ?? null)
  scope.state.unconfirmedPush.set(name, sent)
}

/** Records, before a pull writes files, that its texts may be in them after an interruption. */
export async function recordStartedPull(scope: Scope, names: readonly string[], revision: string): Promise<void> {
  const { interruptedPulls } = scope.state
  for (const name of names) {
    const others = [...(interruptedPulls.get(name) ?? [])].filter(other => other !== revision)
    interruptedPulls.set(name, new Set([...others, revision].slice(-MAX_INTERRUPTED)))
  }
  if (names.length > 0) await saveState(scope)
}

/** @param lastPull undefined after anything but a pull: the next pull then compares all files */
export async function saveState(
  { origin, state, isStateless }: Scope,
  lastPull?: SyncState['lastPull'],
): Promise<void> {
  state.lastPull = lastPull
  if (!isStateless) await writeState(origin, state)
}

/** @throws Problem (exit 2) for options that contradict each other */
export function exclude(options: object, ...names: [string, string][]): void {
  for (const [one, other] of names) {
    const isGiven = (flag: string) => Boolean((options as Record<string, unknown>)[camelCase(flag)])
    if (isGiven(one) && isGiven(other)) throw usage(`--${one} and --${other} exclude each other.`)
  }
}

const camelCase = (flag: string) => flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
