/** Paths that differ only in case: on some disks one of them would overwrite the other. */
import { dirname, join } from 'node:path'
import { Problem } from '../problem.ts'
import { namesIn } from './replace-file.ts'

/**
 * Refused on every disk, since files are shared between machines.
 * @param paths relative, with `/`
 * @param root with present files; undefined for an archive
 * @throws Problem with both paths
 */
export function refuseCaseTwins(paths: readonly string[], root?: string): void {
  const spelled = new Map<string, string>()
  const listed = new Map<string, Map<string, string[]>>()
  for (const path of paths) {
    for (const part of partsOf(path)) {
      const known = spelled.get(part.toLowerCase())
      if (known === part) continue
      const twin = known ?? (root === undefined ? undefined : twinOnDisk(root, part, listed))
      if (twin !== undefined) {
        throw new Problem(`It differs from ${twin} only in case, and some disks cannot hold both.`, {
          file: part,
          data: { written: [] },
          hint: 'Nothing was written. Rename or remove one of them.',
        })
      }
      spelled.set(part.toLowerCase(), part)
    }
  }
}

/** `a`, `a/b`, `a/b/c.json`. */
function partsOf(path: string): string[] {
  const names = path.split('/')
  return names.map((_, at) => names.slice(0, at + 1).join('/'))
}

function twinOnDisk(root: string, part: string, listed: Map<string, Map<string, string[]>>): string | undefined {
  const folder = dirname(part)
  const names = listed.get(folder) ?? Map.groupBy(namesIn(join(root, folder)), name => name.toLowerCase())
  listed.set(folder, names)
  const name = part.slice(part.lastIndexOf('/') + 1)
  const alike = names.get(name.toLowerCase()) ?? []
  return alike.length === 0 || alike.includes(name) ? undefined : join(folder, alike[0]!)
}
