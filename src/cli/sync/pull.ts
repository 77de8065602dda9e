/** A pull: what the server has comes into the app's files, over what was changed in them. */
import { existsSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { EMPTY_BUNDLE_BYTES, parseBundle, parseResource, renderBundle } from '../../bundle/canonical.ts'
import { join } from '../../bundle/message.ts'
import type { Format } from '../../bundle/names.ts'
import { readTree } from '../../bundle/read-tree.ts'
import { Bundle } from '../../bundle/resource.ts'
import type { Context } from '../context.ts'
import { withAllFaults } from '../local/faults.ts'
import { render } from '../local/render.ts'
import type { Change, LocalFile, Resource } from '../local/types.ts'
import { writeFiles } from '../local/write-files.ts'
import { Problem } from '../problem.ts'
import { counted } from '../terminal/table.ts'
import { type Compared, compare, nameOf, placeOf } from './compare.ts'
import { type Choices, conflictDocument, type Preference, settled, shown } from './conflicts.ts'
import { goneIn, goneText } from './gone.ts'
import { textOf, whole, withLeaves } from './merge.ts'
import { noteWriting, stamp } from './put-back.ts'
import { counts, listed, type Row, rowsOf } from './rows.ts'
import { begin, type Done, localFiles, type Narrowing, remember, type Scope, take, takeTexts } from './scope.ts'
import { isUnknown, keysOf, readServer, type ServerBundles } from './server-bundles.ts'

/** What is asked of a pull. */
export interface PullOptions extends Narrowing {
  /** A revision, a release or a time. */
  at?: string
  /** Writes nothing; something to write is a failure. */
  check?: boolean
  /** Takes only what the files lack. */
  missingOnly?: boolean
  prefer?: Preference
  /** Whether something was pushed just before. */
  hasPushed?: boolean
  /** Asks for everything, whatever was had before. */
  whole?: boolean
}

const UP_TO_DATE = 'Up to date.'
const PRUNE_HINT = '`parlance push --prune` deletes there too, `parlance pull --missing-only` brings them back.'

/** What a pull would write. */
interface Plan {
  server: ServerBundles
  bundles: Compared[]
  /** Those of which there is no file yet. */
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

/** @throws Problem for what nobody decides, or what cannot be written */
export async function pull(
  scope: Scope,
  options: PullOptions,
  choices?: Choices,
): Promise<Done & { revision?: string }> {
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
  if (scope.head !== undefined) await noteWriting(scope.state, scope.repository, changing)
  await begin(scope, beginning, revision)
  const files = await written(scope, changing.map(changeOf), plan.unfiled)
  note(scope, options, plan, bundles)
  await remember(
    scope,
    options.missingOnly ? undefined : { query: queryOf(scope, options), etag: plan.server.etag, revision },
  )
  const deletedIn = (some: readonly Compared[]) =>
    new Set(some.flatMap(({ name, merged }) => merged.deleted.map(leaf => `${name} ${leaf.key}`))).size
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
      ...told(context, rows, plan),
      files.length > 0 ? `${counted(files.length, 'file')} written: ${counts(rows, sumOf(plan.unfiled))}.` : UP_TO_DATE,
      ...(deletedKeys > 0
        ? [
            `Deleted here, and still on the server: ${counted(deletedKeys, 'key')}. \`parlance push --prune\` deletes there too.`,
          ]
        : []),
      ...goneText(bundles, PRUNE_HINT),
      ...(plan.unnamed.length > 0
        ? [`Not written: ${plan.unnamed.join(', ')}, which the app does not have; --language <tag> takes one.`]
        : []),
    ].join('\n')
  return { code: 0, document, text, revision }
}

const sumOf = (unfiled: readonly Unfiled[]) => unfiled.reduce((sum, { keys }) => sum + keys, 0)

/** New files that are named; of a first pull nobody reads hundreds. */
const MOST_NEW = 20

/** What changes in files key by key, and how many keys a new file has. */
const told = (context: Context, rows: readonly Row[], { unfiled }: Plan): string[] => [
  ...(rows.length > 0 ? [listed(context, rows)] : []),
  ...unfiled.slice(0, MOST_NEW).map(({ name, file, keys }) => `${file.path} (${name}): new, ${keys} added`),
  ...(unfiled.length > MOST_NEW ? [`… and ${counted(unfiled.length - MOST_NEW, 'more new file')}`] : []),
]

/** For programs. */
const rowsOfUnfiled = ({ unfiled }: Plan): Row[] =>
  unfiled.flatMap(({ file, bytes }) => {
    const server = new Bundle('i18next-json', readTree(parseResource(bytes), false, true))
    const { local, pull } = whole(server)
    return rowsOf({ file }, local, server, pull)
  })

/** Undefined when the server has nothing new. */
async function planOf(scope: Scope, options: PullOptions): Promise<Plan | undefined> {
  const { api, project, local, state, has } = scope
  const asked = askedOf(options)
  const isKnown =
    !options.missingOnly &&
    !options.whole &&
    state.pulled?.query === queryOf(scope, options) &&
    (await isInPlace(scope))
  const had = isKnown ? state.pulled : undefined
  const since = options.at === undefined ? had?.revision : undefined
  const read = (since?: string) => readServer(api, project, { ...asked, since }, had?.etag)
  const server = await read(since).catch(error => {
    // Where it was brought back from a backup it may not know the revision.
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

/** Whether rules leave something of a bundle out. */
const leavesOut = ({ ignoredKeys }: Scope['local'], namespace: string, bytes: Buffer, format: Format): boolean =>
  !ignoredKeys.isEmpty && ignoredKeys.leavesIn(parseBundle(bytes, format), namespace).length > 0

/** The files to compare: without those of which is known that the server has nothing new. */
async function filesOf(scope: Scope, server: ServerBundles) {
  if (server.since === undefined) return localFiles(scope, server)
  const isNew = (file: Pick<LocalFile, 'language' | 'namespace'>) => server.bundles.has(nameOf(file))
  // The format is told by the source language.
  const isRead: Scope['has'] = file => isNew(file) || file.language === scope.local.sourceLanguage
  const found = await localFiles({ ...scope, has: file => scope.has(file) && isRead(file) }, server)
  return { ...found, pairs: found.pairs.filter(({ file }) => isNew(file)) }
}

const askedOf = ({ at, language, namespace }: PullOptions) => ({ at, languages: language, namespaces: namespace })

/** What is asked, and the rules for keys that are left out: without one of them, others are new. */
function queryOf({ local }: Scope, options: PullOptions): string {
  const { rules } = local.ignoredKeys
  return JSON.stringify({ ...askedOf(options), ...(rules.length > 0 && { ignore: rules }) })
}

/** Whether each file that was taken is still there, and of the branch that it was taken on. */
async function isInPlace({ local, state, has, head }: Scope): Promise<boolean> {
  const here = local.layout === 'merged' ? new Set((await local.find()).map(nameOf)) : undefined
  const files = [...state.taken.keys()].filter(name => has(placeOf(name)))
  return files.every(name => {
    const path = pathOf({ local }, name)
    const seen = state.wrote.get(name)?.seen
    const isHere = head === undefined || (state.on.get(name) ?? head) === head
    return isHere && (here ? here.has(name) : existsSync(path)) && (seen === undefined || seen === stamp(path))
  })
}

function pathOf({ local }: Pick<Scope, 'local'>, name: string): string {
  const { language, namespace } = placeOf(name)
  return joinPath(local.root, local.pathOf(language, namespace))
}

/** Without what would change or remove a text; a file that was deleted is what the app lacks. */
function lackingOnly(bundle: Compared): Compared {
  const { merged, isGone } = bundle
  const lacking = isGone ? [...merged.pull, ...merged.deleted] : merged.pull
  const pull = lacking.filter(leaf => !textOf(merged.local, leaf) && textOf(merged.server, leaf) !== undefined)
  const deleted = isGone ? [] : merged.deleted
  return { ...bundle, merged: { ...merged, pull, deleted, conflicts: [] } }
}

const rowsOfPull = (bundle: Compared): Row[] => {
  const { local, server, pull } = bundle.merged
  return rowsOf(bundle, local, server, pull)
}

function changeOf({ file, local, merged }: Compared): Change {
  const wanted = withLeaves(merged.local, merged.server, merged.pull)
  return { file, local, wanted: parseResource(renderBundle(wanted)) as Resource }
}

/** @returns the files that changed @throws Problem naming those that were written before an interruption */
async function written({ context, local }: Scope, changes: Change[], unfiled: Unfiled[]): Promise<string[]> {
  const shared = changes.map(async (change): Promise<Change> => {
    // Other namespaces stand in the same file.
    const isShared = local.layout === 'merged' && !change.local && existsSync(joinPath(local.root, change.file.path))
    return isShared ? { ...change, local: (await local.read([change.file]))[0] } : change
  })
  const created = unfiled.map(
    ({ file, bytes }): Change => ({ file, local: undefined, wanted: parseResource(bytes) as Resource }),
  )
  return writeFiles(local.root, render([...(await Promise.all(shared)), ...created], local), context.stop)
}

/** What both sides have from now on. */
function note(scope: Scope, options: PullOptions, plan: Plan, bundles: Compared[]): void {
  const { server, equal, unfiled } = plan
  const { wrote } = scope.state
  for (const [at, { name, merged }] of plan.bundles.entries()) {
    const { pull } = bundles[at]!.merged
    // Who has chosen the file's text is not asked again.
    const kept = merged.conflicts.flatMap(({ leaves }) => leaves).filter(leaf => !pull.includes(leaf))
    for (const leaf of kept) wrote.get(name)?.leaves.delete(join(leaf))
  }
  for (const [name, one] of wrote) {
    if (scope.has(placeOf(name))) one.seen = stamp(pathOf(scope, name))
  }
  const { taken } = scope.state
  for (const [name, revision] of taken) {
    if (revision === server.since && scope.has(placeOf(name))) taken.set(name, server.revision)
  }
  take(scope, [...equal, ...unfiled.map(({ name }) => name)], server.revision)
  if (!options.missingOnly) {
    take(scope, bundles, server.revision)
    return
  }
  for (const { name, merged } of bundles) {
    takeTexts(scope, name, merged.server, merged.pull)
    scope.state.begun.get(name)?.delete(server.revision)
  }
}

function checked({ context }: Scope, plan: Plan): Done {
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
      ...told(context, rows, plan),
      ...open.map(({ bundle, conflict }) => shown(bundle, conflict)),
      `${counted(paths.size, 'file')} behind the server: \`parlance pull\` brings what is new.`,
      ...gone,
    ].join('\n')
  return { code: 1, document, text }
}

/** Whether a person decides or mends it in the files, a half written one among them, and a watch goes on. */
export const isMendedHere = (error: unknown): error is Problem =>
  error instanceof Problem &&
  (error.where.file !== undefined || ['conflicts', 'faults'].some(name => name in (error.where.data ?? {})))
