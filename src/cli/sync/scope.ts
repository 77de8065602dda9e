/** What a pull and a push work on: the server's project, the app's files, and what was had last. */
import { join, type LeafName, peel } from '../../bundle/message.ts'
import type { Format } from '../../bundle/names.ts'
import type { Bundle } from '../../bundle/resource.ts'
import type { Api } from '../api/client.ts'
import { shownUrl } from '../config/url.ts'
import type { Context } from '../context.ts'
import { openLocal } from '../local/open.ts'
import type { LocalFile, LocalProject } from '../local/types.ts'
import { usage } from '../problem.ts'
import { headOf } from './branches.ts'
import { type Compared, isNoted, nameOf, type Pair, placeOf } from './compare.ts'
import type { Repository } from './git-texts.ts'
import { neverCommitted } from './gone.ts'
import { textOf } from './merge.ts'
import type { ServerBundles } from './server-bundles.ts'
import { type Origin, readState, type State, writeState } from './state.ts'

/** Pulls that were cut off, one after another, that a bundle remembers: each is a request more. */
const MOST_BEGUN = 4

/** Which bundles are meant: all without names. */
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
  state: State
  repository: Repository
  /** The branch that the app is on. */
  head: string | undefined
  /** Whether nothing is to be kept of it. */
  forgets?: true
  /** Whether a bundle is one of the app's that are meant. */
  has(file: Pick<LocalFile, 'language' | 'namespace'>): boolean
}

/** What a command did, to be printed. */
export interface Done {
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

/** @throws Problem (exit 2) naming a language or namespace that is asked for, and that the app does not have */
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
 * The files that are there and meant, read, and the server's format that fits them.
 * @param server where given, what is as it is there is no pair, and not looked into
 * @returns the names of the latter as `equal`
 * @throws Problem for one that is no i18next JSON
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
    return stored !== undefined && isWhole && (bytes.equals(stored) || isNoted(state, nameOf(file), bytes, stored))
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
 * The bundles whose files were here when both sides had the same, and are deleted since. A folder without any file is a
 * new one: nobody deletes all texts to say so.
 */
async function gonePairs(
  { local, has, state, repository }: Pick<Scope, 'local' | 'has' | 'state' | 'repository'>,
  files: readonly LocalFile[],
  format: Format,
): Promise<Pair[]> {
  if (files.length === 0) return []
  const here = new Set(files.map(nameOf))
  const gone = [...state.taken.keys()].filter(name => !here.has(name)).map(placeOf)
  const paths = gone.filter(has).map(place => ({ ...place, path: local.pathOf(place.language, place.namespace) }))
  // A file of its own that git never had was written by a pull; git does not remove it by itself.
  const back = local.layout === 'merged' ? await neverCommitted(repository, local, paths, format) : new Set()
  return paths.filter(file => !back.has(file)).map(file => ({ file, local: undefined, isGone: true }))
}

/** Remembers that these bundles are as the server has them at a revision, but for what rules leave out of them. */
export function take(
  { state, head }: Scope,
  bundles: Iterable<string | Pick<Compared, 'name' | 'ignored'>>,
  revision: string,
): void {
  for (const bundle of bundles) {
    const { name, ignored } = typeof bundle === 'string' ? { name: bundle } : bundle
    for (const leaf of state.since.get(name)?.keys() ?? []) state.on.delete(`${name} ${leaf}`)
    noteHead(state, name, head)
    state.taken.set(name, revision)
    state.since.delete(name)
    if (ignored?.size) state.since.set(name, new Map(ignored))
    state.begun.delete(name)
    state.sent.delete(name)
  }
}

function noteHead({ on }: State, name: string, head: string | undefined): void {
  if (head === undefined) on.delete(name)
  else on.set(name, head)
}

/** Remembers of a bundle these leaves alone, as both sides have them now; null for those that went. */
export function takeTexts({ state, head }: Scope, name: string, bundle: Bundle, leaves: readonly LeafName[]): void {
  const texts = state.since.get(name) ?? new Map<string, string | null>()
  for (const leaf of leaves) {
    texts.set(join(leaf), textOf(bundle, leaf) ?? null)
    noteHead(state, `${name} ${join(leaf)}`, head)
  }
  if (texts.size > 0) state.since.set(name, texts)
}

/**
 * Notes, before a bundle is sent, how the server will have these leaves: the answer may be lost.
 * @param server as it is
 * @param after as it will be
 */
export function noteSending(
  scope: Scope,
  name: string,
  { server, after }: Record<'server' | 'after', Bundle>,
  leaves: readonly LeafName[],
): void {
  const sent = scope.state.sent.get(name) ?? new Map<string, string | null>()
  const came = [...sent].filter(([leaf, text]) => text === (textOf(server, peel(leaf)) ?? null))
  takeTexts(
    scope,
    name,
    server,
    came.map(([leaf]) => peel(leaf)),
  )
  for (const leaf of leaves) sent.set(join(leaf), textOf(after, leaf) ?? null)
  scope.state.sent.set(name, sent)
}

/** Remembers, before files are written, that texts of a revision may be in them however that ends. */
export async function begin(scope: Scope, names: readonly string[], revision: string): Promise<void> {
  const { begun } = scope.state
  for (const name of names) {
    const others = [...(begun.get(name) ?? [])].filter(other => other !== revision)
    begun.set(name, new Set([...others, revision].slice(-MOST_BEGUN)))
  }
  if (names.length > 0) await remember(scope)
}

/** @param pulled of the pull that was done; after all else the next one must compare, whatever its entity tag says */
export async function remember({ origin, state, forgets }: Scope, pulled?: State['pulled']): Promise<void> {
  state.pulled = pulled
  if (!forgets) await writeState(origin, state)
}

/** @throws Problem (exit 2) for options that contradict each other */
export function exclude(options: object, ...names: [string, string][]): void {
  for (const [one, other] of names) {
    const isGiven = (flag: string) => Boolean((options as Record<string, unknown>)[camelCase(flag)])
    if (isGiven(one) && isGiven(other)) throw usage(`--${one} and --${other} exclude each other.`)
  }
}

const camelCase = (flag: string) => flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
