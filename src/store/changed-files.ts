/** What two states differ in, file by file: equal folders are never opened, so it costs what the difference does. */
import type { Snapshot } from './snapshot.ts'

/** A file whose content differs; ids are git blob ids, null where it is absent. */
export interface ChangedFile {
  path: string
  before: string | null
  after: string | null
}

/** Every file below `folder` (`''` is the root) that differs between the states, in the order of their paths' names. */
export function changedFiles(from: Pick<Snapshot, 'list'>, to: Pick<Snapshot, 'list'>, folder = ''): ChangedFile[] {
  const before = new Map(from.list(folder).map(entry => [entry.name, entry]))
  const after = new Map(to.list(folder).map(entry => [entry.name, entry]))
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  return names.flatMap(name => {
    const [a, b] = [before.get(name), after.get(name)]
    if (a?.id === b?.id && a?.kind === b?.kind) return []
    const path = folder === '' ? name : `${folder}/${name}`
    const file = { path, before: a?.kind === 'blob' ? a.id : null, after: b?.kind === 'blob' ? b.id : null }
    const below = a?.kind === 'tree' || b?.kind === 'tree' ? changedFiles(from, to, path) : []
    return file.before === null && file.after === null ? below : [file, ...below]
  })
}
