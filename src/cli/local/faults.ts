/** All faults of an app's files in one run: of JSON, of i18next's rules and of the server's rules. */
import { Failure } from '../../bundle/errors.ts'
import type { Format } from '../../bundle/names.ts'
import { complaintsAbout } from '../../bundle/resource.ts'
import { Problem } from '../problem.ts'
import type { LocaleDocument } from './document.ts'
import { collected, FaultList, LEAVE_OUT } from './fault-list.ts'
import { type Branch, plain } from './json-source.ts'
import { type LocalFile, type Resource, readDocument } from './local-bundle.ts'
import type { LocalProject } from './types.ts'

/** Limits a run to some files. */
type Has = (file: LocalFile) => boolean

/**
 * The faults of all files as one problem; undefined without faults.
 * @param first the problem of the run; it joins the list if its file has no other fault
 */
export async function faultsIn(
  local: LocalProject,
  has: Has = () => true,
  first?: Problem,
): Promise<Problem | undefined> {
  const faults = new FaultList()
  const files = (await local.find(faults)).filter(has)
  const parts = [...Map.groupBy(files, ({ path }) => path).values()].flatMap(inFile => {
    const document = collected(faults, () => readDocument(local, inFile[0]!, faults))
    if (!document) return []
    return inFile.flatMap(file => {
      const branch = document.branchOf(local.layout === 'merged' ? file.namespace : undefined)
      return branch ? [{ file, document, branch, resource: plain(branch, document.ignored) as Resource }] : []
    })
  })
  const source = parts.filter(({ file }) => file.language === local.sourceLanguage)
  const format = local.format(source)
  for (const { file, document, branch, resource } of parts) {
    for (const { at, problem } of document.faultsIn(branch)) faults.add(document.path, at, problem)
    collectRefusals(file, document, branch, resource, format, faults)
  }
  const isListed = first !== undefined && faults.hasFile(first.where.file ?? '')
  // A single fault with a line remains as it was thrown.
  if (isListed && faults.count === 1 && first.where.line !== undefined) return first
  if (first && !isListed) faults.addProblem(first)
  return faults.problem()
}

/** Runs a step of a command. A problem with a file then lists the faults of all files. @throws Problem */
export async function withAllFaults<T>(local: LocalProject, has: Has, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Problem) || error.where.file === undefined) throw error
    const all = await faultsIn(local, has, error)
    const isOfKey = all?.where.key !== undefined && all.where.hint === undefined
    throw isOfKey ? new Problem(all.message, { ...all.where, exit: all.exit, hint: LEAVE_OUT }) : all
  }
}

/** The server's rules, each fault at its place. */
function collectRefusals(
  { path, language }: LocalFile,
  document: LocaleDocument,
  branch: Branch,
  resource: Resource,
  format: Format,
  faults: FaultList,
): void {
  try {
    const { all } = complaintsAbout(resource, { format, language })
    if (all.size === 0) return
    const places = document.placesIn(branch)
    for (const [rule, keys] of all) {
      for (const key of keys) {
        const at = places.get(key) ?? branch.from
        faults.add(path, at, () => document.problem(`${rule}.`, at, key))
      }
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    faults.addProblem(new Problem(error.message, { file: path, cause: error }))
  }
}
