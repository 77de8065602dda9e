/** Pulls: merges the server's texts into the app's files. */
import { existsSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { EMPTY_BUNDLE_BYTES, parseBundle, parseResource, renderBundle } from '../../bundle/canonical.ts'
import { join } from '../../bundle/message.ts'
import type { Format } from '../../bundle/names.ts'
import { readTree } from '../../bundle/read-tree.ts'
import { Bundle } from '../../bundle/resource.ts'
import type { Context } from '../context.ts'
import { withAllFaults } from '../local/faults.ts'
import type { LocalFile, Resource } from '../local/local-bundle.ts'
import { render } from '../local/render.ts'
import type { Change } from '../local/types.ts'
import { writeFiles } from '../local/write-files.ts'
import { Problem } from '../problem.ts'
import { counted } from '../terminal/table.ts'
import { type ComparedBundle, compare, nameOf, placeOf } from './compare.ts'
import { type Choices, conflictDocument, type Preference, settled, shown } from './conflicts.ts'
import { recordBeforePull, stamp } from './discarded-pulls.ts'
import { deletedIn, goneIn, goneText } from './gone.ts'
import { textOf, whole, withLeaves } from './merge.ts'
import { counts, type KeyChangeRow, listed, rowsOf } from './rows.ts'
import {
  type CommandResult,
  localFiles,
  type Narrowing,
  recordBase,
  recordStartedPull,
  recordTexts,
  type Scope,
  saveState,
} from './scope.ts'
import { isUnknown, keysOf, readServer, type ServerBundles } from './server-bundles.ts'

/** Options of a pull. */
export interface PullOptions extends Narrowing {
  /** A revision, a release or a time. */
  at?: string
  /** Writes nothing, and fails if there is something to write. */
  check?: boolean
  /** Adds only texts that the files lack. */
  missingOnly?: boolean
  prefer?: Preference
  /** Whether a push ran just before. */
  hasPushed?: boolean
  /** Requests all texts, not only those since the last pull. */
  whole?: boolean
}

const UP_TO_DATE = 'Up to date.'
const PRUNE_HINT = '`parlance push --prune` deletes there too, `parlance pull --missing-only` restores deleted files.'

/** The changes that a pull would write. */
interface Plan {
  server: ServerBundles
  bundles: ComparedBundle[]
  /** Bundles without a file. */
  unfiled: Unfiled[]
  equal: string[]
  /** Languages of the server that the app does not have. */
  unnamed: string[]
}

/** A bundle of the server without a file: there is nothing to compare. */
interface Unfiled {
  name: string
  file: LocalFile
  bytes: Buffer
  keys: number
}

/** @throws Problem for undecided conflicts, or for a file that cannot be written */
export async function pull(
  scope: Scope,
  options: PullOptions,
  choices?: Choices,
): Promise<CommandResult & { revision?: string }> {
  const { context } = scope
  const progress = context.progress('Pulling')
  const reading = () => planOf(scope, options)
  const plan = await withAllFaults(scope.local, scope.has, reading).finally(() => progress.stop())
  if (plan === undefined) {
    const document = options.check
      ? { revision: null, upToDate: true, changes: [], conflicts: [], deletedFiles: [] }
      : { revision: null, files: [], changes: [], deletedHere: 0, deletedFiles: [], unnamedLanguages: [] }
    return { code: 0, document, text: () => UP_TO_DATE }
  }
  if (options.check) return checked(scope, plan)
  const bundles = await settled(
    context,
    plan.bundles,
    options.prefer,
    choices,
    options.hasPushed ? 'No file was written.' : undefined,
  )
  const rows = bundles.flatMap(rowsOfPull)
  const changing = bundles.filter(({ merged }) => merged.pull.length > 0)
  const beginning = [...changing, ...plan.unfiled].map(({ name }) => name)
  const { revision } = plan.server
  if (scope.head !== undefined) await recordBeforePull(scope.state, scope.repository, changing)
  await recordStartedPull(scope, beginning, revision)
  const files = await written(scope, changing.map(changeOf), plan.unfiled)
  recordPull(scope, options, plan, bundles)
  await saveState(
    scope,
    options.missingOnly ? undefined : { query: queryOf(scope, options), etag: plan.server.etag, revision },
  )
  const deletedKeys = deletedIn(bundles.filter(({ isGone }) => !isGone))
  const document = {
    revision,
    files,
    get changes() {
      return [...rows, ...rowsOfUnfiled(plan)]
    },
    deletedHere: deletedIn(bundles),
    deletedFiles: goneIn(bundles).map(({ file }) => file.path),
    unnamedLanguages: plan.unnamed,
  }
  const text = () =>
    [
      ...changeLines(context, rows, plan),
      files.length > 0 ? `${counted(files.length, 'file')} written: ${counts(rows, sumOf(plan.unfiled))}.` : UP_TO_DATE,
      ...(deletedKeys > 0
        ? [
            `Deleted here, and still on the server: ${counted(deletedKeys, 'key')}. \`parlance push --prune\` deletes there too.`,
          ]
        : []),
      ...goneText(bundles, PRUNE_HINT),
      ...(plan.unnamed.length > 0
        ? [`Not written: ${plan.unnamed.join(', ')}, which the app does not have; --language <tag> adds one.`]
        : []),
    ].join('\n')
  return { code: 0, document, text, revision }
}

const sumOf = (unfiled: readonly Unfiled[]) => unfiled.reduce((sum, { keys }) => sum + keys, 0)

/** Maximum new files in a list. */
const MAX_NEW = 20

/** Lists the changed keys of files, and the number of keys of new files. */
const changeLines = (context: Context, rows: readonly KeyChangeRow[], { unfiled }: Plan): string[] => [
  ...(rows.length > 0 ? [listed(context, rows)] : []),
  ...unfiled.slice(0, MAX_NEW).map(({ name, file, keys }) => `${file.path} (${name}): new, ${keys} added`),
  ...(unfiled.length > MAX_NEW ? [`… and ${counted(unfiled.length - MAX_NEW, 'more new file')}`] : []),
]

/** The rows of new files for `--json`. */
const rowsOfUnfiled = ({ unfiled }: Plan): KeyChangeRow[] =>
  unfiled.flatMap(({ file, bytes }) => {
    const server = new Bundle('i18next-json', readTree(parseResource(bytes), false, true))
    const { local, pull } = whole(server)
    return rowsOf({ file }, local, server, pull)
  })

/** Undefined if the server has nothing new. */
async function planOf(scope: Scope, options: PullOptions): Promise<Plan | undefined> {
  const { api, project, local, state, has } = scope
  const asked = askedOf(options)
  const isKnown =
    !options.missingOnly &&
    !options.whole &&
    state.lastPull?.query === queryOf(scope, options) &&
    (await isInPlace(scope))
  const had = isKnown ? state.lastPull : undefined
  const since = options.at === undefined ? had?.revision : undefined
  const read = (since?: string) => readServer(api, project, { ...asked, since }, had?.etag)
  const server = await read(since).catch(error => {
    // A server that was restored from a backup may not know the revision.
    if (since !== undefined && isUnknown(error)) return read()
    throw error
  })
  if (server === undefined || (server.since !== undefined && server.bundles.size === 0)) return undefined
  const { pairs, equal, format } = await filesOf(scope, server)
  const here = new Set([...equal, ...pairs.map(({ file }) => nameOf(file))])
  const unnamed = new Set<string>()
  const unfiled: Unfiled[] = []
  for (const [name, bytes] of server.bundles) {
    const { language, namespace } = placeOf(name)
    if (!has({ language, namespace })) {
      const isEmpty = EMPTY_BUNDLE_BYTES.equals(bytes)
      if (!options.language && !local.languages.includes(language) && !isEmpty) unnamed.add(language)
    } else if (!here.has(name)) {
      const file: LocalFile = { language, namespace, path: local.pathOf(language, namespace) }
      const keys = keysOf(bytes)
      if (keys === 0) equal.push(name)
      else if (local.layout === 'merged' || leavesOut(local, namespace, bytes, format))
        pairs.push({ file, local: undefined })
      else unfiled.push({ name, file, bytes, keys })
    }
  }
  const found = await compare({ ...scope, format }, pairs, server)
  const bundles = options.missingOnly ? found.differing.map(lackingOnly) : found.differing
  return { server, bundles, unfiled, equal: [...equal, ...found.equal], unnamed: [...unnamed].sort() }
}

/** Whether rules leave out a part of a bundle. */
const leavesOut = ({ ignoredKeys }: Scope['local'], namespace: string, bytes: Buffer, format: Format): boolean =>
  !ignoredKeys.isEmpty && ignoredKeys.leavesIn(parseBundle(bytes, format), namespace).length > 0

/** The files to compare. Bundles without news since the last pull are excluded. */
async function filesOf(scope: Scope, server: ServerBundles) {
  if (server.since === undefined) return localFiles(scope, server)
  const isNew = (file: Pick<LocalFile, 'language' | 'namespace'>) => server.bundles.has(nameOf(file))
  // The files of the source language decide on the format.
  const isRead: Scope['has'] = file => isNew(file) || file.language === scope.local.sourceLanguage
  const found = await localFiles({ ...scope, has: file => scope.has(file) && isRead(file) }, server)
  return { ...found, pairs: found.pairs.filter(({ file }) => isNew(file)) }
}

const askedOf = ({ at, language, namespace }: PullOptions) => ({ at, languages: language, namespaces: namespace })

/** The query with the rules that leave keys out. A change of either requires a full pull. */
function queryOf({ local }: Scope, options: PullOptions): string {
  const { rules } = local.ignoredKeys
  return JSON.stringify({ ...askedOf(options), ...(rules.length > 0 && { ignore: rules }) })
}

/** Whether each pulled file still exists, on the branch of its merge base. */
async function isInPlace({ local, state, has, head }: Scope): Promise<boolean> {
  const here = local.layout === 'merged' ? new Set((await local.find()).map(nameOf)) : undefined
  const files = [...state.baseRevision.keys()].filter(name => has(placeOf(name)))
  return files.every(name => {
    const path = pathOf({ local }, name)
    const seen = state.beforePull.get(name)?.stamp
    const isHere = head === undefined || (state.baseBranch.get(name) ?? head) === head
    return isHere && (here ? here.has(name) : existsSync(path)) && (seen === undefined || seen === stamp(path))
  })
}

function pathOf({ local }: Pick<Scope, 'local'>, name: string): string {
  const { language, namespace } = placeOf(name)
  return joinPath(local.root, local.pathOf(language, namespace))
}

/** Limits a merge to texts that the app lacks. These include all texts of a deleted file. */
function lackingOnly(bundle: ComparedBundle): ComparedBundle {
  const { merged, isGone } = bundle
  const lacking = isGone ? [...merged.pull, ...merged.deleted] : merged.pull
  const pull = lacking.filter(leaf => !textOf(merged.local, leaf) && textOf(merged.server, leaf) !== undefined)
  const deleted = isGone ? [] : merged.deleted
  return { ...bundle, merged: { ...merged, pull, deleted, conflicts: [] } }
}

const rowsOfPull = (bundle: ComparedBundle): KeyChangeRow[] => {
  const { local, server, pull } = bundle.merged
  return rowsOf(bundle, local, server, pull)
}

function changeOf({ file, local, merged }: ComparedBundle): Change {
  const wanted = withLeaves(merged.local, merged.server, merged.pull)
  return { file, local, wanted: parseResource(renderBundle(wanted)) as Resource }
}

/** @returns the changed files @throws Problem with the files written before an interruption */
async function written({ context, local }: Scope, changes: Change[], unfiled: Unfiled[]): Promise<string[]> {
  const shared = changes.map(async (change): Promise<Change> => {
    // The file has other namespaces too.
    const isShared = local.layout === 'merged' && !change.local && existsSync(joinPath(local.root, change.file.path))
    return isShared ? { ...change, local: (await local.read([change.file]))[0] } : change
  })
  const created = unfiled.map(
    ({ file, bytes }): Change => ({ file, local: undefined, wanted: parseResource(bytes) as Resource }),
  )
  return writeFiles(local.root, render([...(await Promise.all(shared)), ...created], local), context.stop)
}

/** Records the new merge bases. */
function recordPull(scope: Scope, options: PullOptions, plan: Plan, bundles: ComparedBundle[]): void {
  const { server, equal, unfiled } = plan
  const { beforePull, baseRevision } = scope.state
  for (const [at, { name, merged }] of plan.bundles.entries()) {
    const { pull } = bundles[at]!.merged
    // A choice of the file's text is not asked for again.
    const chosen = merged.conflicts.flatMap(({ leaves }) => leaves).filter(leaf => !pull.includes(leaf))
    for (const leaf of chosen) beforePull.get(name)?.leaves.delete(join(leaf))
  }
  for (const [name, one] of beforePull) {
    if (scope.has(placeOf(name))) one.stamp = stamp(pathOf(scope, name))
  }
  for (const [name, revision] of baseRevision) {
    if (revision === server.since && scope.has(placeOf(name))) baseRevision.set(name, server.revision)
  }
  recordBase(scope, [...equal, ...unfiled.map(({ name }) => name)], server.revision)
  if (!options.missingOnly) {
    recordBase(scope, bundles, server.revision)
    return
  }
  for (const { name, merged } of bundles) {
    recordTexts(scope, name, merged.server, merged.pull)
    scope.state.interruptedPulls.get(name)?.delete(server.revision)
  }
}

function checked({ context }: Scope, plan: Plan): CommandResult {
  const { bundles, unfiled, server } = plan
  const rows = bundles.flatMap(rowsOfPull)
  const open = bundles.flatMap(bundle => bundle.merged.conflicts.map(conflict => ({ bundle, conflict })))
  const conflicts = open.map(({ bundle, conflict }) => conflictDocument(bundle, conflict))
  const files = [...open.map(({ bundle }) => bundle.file), ...unfiled.map(({ file }) => file)]
  const paths = new Set([...rows, ...files].map(({ path }) => path))
  const changes = [...rows, ...rowsOfUnfiled(plan)]
  const deletedFiles = goneIn(bundles).map(({ file }) => file.path)
  const document = { revision: server.revision, upToDate: paths.size === 0, changes, conflicts, deletedFiles }
  const gone = goneText(bundles, PRUNE_HINT)
  if (paths.size === 0) return { code: 0, document, text: () => [UP_TO_DATE, ...gone].join('\n') }
  const text = () =>
    [
      ...changeLines(context, rows, plan),
      ...open.map(({ bundle, conflict }) => shown(bundle, conflict)),
      `${counted(paths.size, 'file')} behind the server: \`parlance pull\` brings what is new.`,
      ...gone,
    ].join('\n')
  return { code: 1, document, text }
}

/** Whether a person can solve the problem in the files: a watch then continues. */
export const isMendedHere = (error: unknown): error is Problem =>
  error instanceof Problem &&
  (error.where.file !== undefined || ['conflicts', 'faults'].some(name => name in (error.where.data ?? {})))
