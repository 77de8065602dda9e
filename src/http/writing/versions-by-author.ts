/** The last versions of a translation with their authors, as far as a change may look back. */
import { type BundleName, bundlePath } from '../../project/project.ts'
import type { VersionByAuthor } from '../../project/sidecars/own-texts.ts'
import { TaskFile, type UnreadTask } from '../../project/sidecars/task-file.ts'
import type { Steps } from '../../scheduling/steps.ts'
import type { MainLine } from './main-line.ts'
import { renamedBundles } from './renamed-bundles.ts'
import { MOST_VERSIONS } from './text-versions.ts'

/** Under the names that it had before. @param email of the person or token that is asked about */
export function* versionsByAuthor(
  line: MainLine,
  bundle: BundleName,
  email: string,
): Steps<UnreadTask<VersionByAuthor>[]> {
  const { states, isWhole } = yield* line.latest()
  const versions: UnreadTask<VersionByAuthor>[] = []
  let name = bundle
  for (const [at, state] of states.entries()) {
    const path = bundlePath(name)
    const target = TaskFile.at(path, state)
    const older = states[at + 1]
    if (older === undefined && !isWhole) return [...versions, { target, isOwn: false }]
    const id = state.entry(path)?.id
    if (older && older.entry(path)?.id === id) continue
    const [renamed] = older && id !== undefined ? renamedBundles(name, id, state, older) : []
    if (renamed) {
      name = renamed
      continue
    }
    versions.push({ target, isOwn: state.commitOrigin()?.author.email.toLowerCase() === email.toLowerCase() })
    if (versions.length === MOST_VERSIONS) return versions
    yield
  }
  return [...versions, { target: null, isOwn: false }]
}
