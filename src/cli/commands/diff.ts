/** `parlance diff`: in which keys the app's files differ from the server, or two states of the server from each other. */
import { diffBundles } from '../../bundle/diff.ts'
import { Failure } from '../../bundle/errors.ts'
import { readTree } from '../../bundle/read-tree.ts'
import { Bundle } from '../../bundle/resource.ts'
import { projectPath } from '../api/key-name.ts'
import type { Context, Run } from '../context.ts'
import { openApp } from '../local/app.ts'
import type { LocalBundle, Resource } from '../local/types.ts'
import { Problem, usage } from '../problem.ts'
import { type Change, countsText, showChanges } from '../terminal/changes.ts'

interface Options {
  language?: string
  namespace?: string
  from?: string
  to?: string
}

/** Changes on a page: the most that the server takes. */
const PAGE = 10_000

/** What differs between two states, and the project's own fields where those do; null is before the first revision. */
interface Difference {
  from: string | null
  to: string | null
  changes: Change[]
  project?: { before: object | null; after: object | null }
}

/**
 * With `--json`: `{ project, from, to, changes: [ { language, namespace, key, before, after } ], counts: { added, updated, removed } }`;
 * `from` and `to` are revisions, `"server"` and `"files"` without `--from`. That something differs is no failure: `parlance pull
 * --check` is.
 */
export const run: Run<Options> = async (context, { from, to, ...part }) => {
  if (to !== undefined && from === undefined) throw usage('--to needs the earlier state.', { hint: 'Give --from too.' })
  const project = await context.project()
  const found = from === undefined ? await fromFiles(context, part) : await fromServer(context, { from, to, ...part })
  const counts = { added: 0, updated: 0, removed: 0 }
  for (const { before, after } of found.changes) {
    counts[before === null ? 'added' : after === null ? 'removed' : 'updated']++
  }
  await context.print({ project, ...found, counts }, () => {
    const fields = found.project ? [`The project itself: ${JSON.stringify(found.project)}`] : []
    if (found.changes.length === 0) return [...fields, 'No key differs.'].join('\n')
    const of = from === undefined ? ' in your files, compared with the server' : ''
    return [...fields, showChanges(found.changes, context.terminal.style), `${countsText(counts)}${of}.`].join('\n')
  })
}

async function fromServer(context: Context, query: Options & { from: string }): Promise<Difference> {
  const [api, path] = [await context.api(), projectPath(await context.project(), 'diff')]
  let cursor: string | undefined
  let [first, changes]: [Difference | undefined, Change[]] = [undefined, []]
  do {
    const { json } = await api.ask('GET', path, { query: { ...query, limit: PAGE, cursor } })
    first ??= json as Difference
    changes = changes.concat(json.changes)
    cursor = json.next ?? undefined
  } while (cursor !== undefined)
  const { from, to, project } = first
  return { from, to, ...(project && { project }), changes }
}

async function fromFiles(
  context: Context,
  { language, namespace }: Pick<Options, 'language' | 'namespace'>,
): Promise<Difference> {
  const [api, project, app] = [await context.api(), await context.project(), await openApp(context)]
  const isMeant = (name: { language: string; namespace: string }) =>
    (language === undefined ? app.languages : [language]).includes(name.language) &&
    (namespace === undefined || namespace === name.namespace) &&
    (app.namespaces?.includes(name.namespace) ?? true) &&
    !app.ignoredNamespaces.includes(name.namespace)
  const files = await app.read((await app.find()).filter(isMeant))
  const query = { format: 'json' }
  const languages: Record<string, Record<string, Resource>> = (
    await api.ask('GET', projectPath(project, 'export'), { query })
  ).json
  const bundles = new Map(files.map(({ file }) => [`${file.language}/${file.namespace}`, file]))
  for (const [language, namespaces] of Object.entries(languages)) {
    for (const namespace of Object.keys(namespaces)) {
      const name = { language, namespace }
      if (isMeant(name)) bundles.set(`${language}/${namespace}`, { ...name, path: '' })
    }
  }
  const mine = new Map(files.map(local => [`${local.file.language}/${local.file.namespace}`, local]))
  const changes: Change[] = []
  for (const [name, { language, namespace }] of [...bundles].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const theirs = bundleOf(languages[language]?.[namespace] ?? {})
    for (const change of diffBundles(theirs, ours(mine.get(name)))) changes.push({ language, namespace, ...change })
  }
  return { from: 'server', to: 'files', changes }
}

/** By keys alone: where they stand, nested or not, makes no difference. */
const bundleOf = (resource: Resource): Bundle => new Bundle('i18next-json', readTree(resource, false, true))

/** @throws Problem with the place of the first key that no bundle may have */
function ours(local: LocalBundle | undefined): Bundle {
  try {
    return bundleOf(local?.resource ?? {})
  } catch (error) {
    if (!(error instanceof Failure) || local === undefined) throw error
    const key = ((error.data.keys ?? []) as string[]).find(name => local.placeOf(name) !== undefined)
    const place = key === undefined ? {} : { key, ...local.placeOf(key) }
    throw new Problem(error.message, { file: local.file.path, ...place, cause: error })
  }
}
