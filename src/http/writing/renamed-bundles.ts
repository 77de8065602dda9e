/** Follows a bundle through the renaming of its namespace or language. */
import { bundlesOf } from '../../project/layout.ts'
import { type BundleName, bundlePath } from '../../project/project.ts'
import type { State } from '../../project/state.ts'

/**
 * The names that a bundle has in another state, where its own name is not there: a renaming moves files byte for byte.
 * @param id the blob that has the name in `state`
 */
export function renamedBundles(bundle: BundleName, id: string, state: State, other: State): BundleName[] {
  if (other.entry(bundlePath(bundle)) !== undefined) return []
  return bundlesOf(other, bundle.slug).filter(one => {
    if (one.language !== bundle.language && one.namespace !== bundle.namespace) return false
    const path = bundlePath(one)
    return other.entry(path)?.id === id && state.entry(path)?.id !== id
  })
}
