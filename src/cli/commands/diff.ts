/** `parlance diff`: compares the app's files with the server, or two states of the server. */
import { parseBundle } from '../../bundle/canonical.ts'
import { type BundleChange, diffBundles } from '../../bundle/diff.ts'
import { changedTexts } from '../../bundle/message.ts'
import { Bundle } from '../../bundle/resource.ts'
import { difference } from '../api/answers.ts'
import { pagesOf, projectPath } from '../api/client.ts'
import type { Context, Run } from '../context.ts'
import { withAllFaults } from '../local/faults.ts'
import { usage } from '../problem.ts'
import { bundleOf, nameOf, placeOf } from '../sync/compare.ts'
import { localFiles, localProject, openScope } from '../sync/scope.ts'
import { readServer } from '../sync/server-bundles.ts'
import { countsText, showChanges } from '../terminal/changes.ts'

interface Options {
  language?: string
  namespace?: string
  from?: string
  to?: string
}

/** Compares keys, nested or not. */
const FORMAT = 'i18next-json'

/** Changes on a page: the server's maximum. */
const PAGE = 10_000

/** The changes of keys and of the project's fields between two states. Null is before the first revision. */
interface Difference {
  from: string | null
  to: string | null
  changes: BundleChange[]
  project?: { before: object | null; after: object | null }
}

/**
 * With `--json`: `{ project, from, to, changes: [ { language, namespace, key, before, after } ], counts: { added,
 * updated, removed } }`; `from` and `to` are revisions, without `--from` `"server"` and `"files"`. A difference is no
 * failure, unlike for `parlance pull --check`.
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
  const pages: Difference[] = []
  for await (const page of pagesOf(api, path, difference, { ...query, limit: PAGE })) pages.push(page)
  const { from, to, project } = pages[0]!
  return { from, to, ...(project && { project }), changes: pages.flatMap(({ changes }) => changes) }
}

async function fromFiles(
  context: Context,
  { language, namespace }: Pick<Options, 'language' | 'namespace'>,
): Promise<Difference> {
  const narrowing = { ...(language && { language: [language] }), ...(namespace && { namespace: [namespace] }) }
  const scope = await openScope(context, await localProject(context), narrowing)
  const { ignoredKeys } = scope.local
  const files = await withAllFaults(scope.local, scope.has, () => localFiles(scope))
  const mine = new Map(files.pairs.map(({ file, local }) => [nameOf(file), local]))
  const { bundles } = (await readServer(scope.api, scope.project))!
  const changes: BundleChange[] = []
  for (const name of [...new Set([...mine.keys(), ...bundles.keys()])].sort()) {
    const { language, namespace } = placeOf(name)
    if (!scope.has({ language, namespace })) continue
    const stored = bundles.get(name)
    const theirs = stored === undefined ? Bundle.empty(FORMAT) : parseBundle(stored, FORMAT)
    for (const change of diffBundles(ignoredKeys.split(theirs, namespace).rest, bundleOf(mine.get(name), FORMAT))) {
      if (!waits(change)) changes.push({ language, namespace, ...change })
    }
  }
  return { from: 'server', to: 'files', changes }
}

/** Whether a change consists of empty local texts that the server lacks. */
const waits = ({ before, after }: Pick<BundleChange, 'before' | 'after'>): boolean =>
  changedTexts(before, after).every(({ before: theirs, after: ours }) => theirs === undefined && ours === '')
