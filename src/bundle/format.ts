/** Carries a bundle from one format to the other. */

import { fileOf, type MadeFile, NO_TREES, type Stored } from './made-file.ts'
import type { Format } from './names.ts'
import { Bundle, isFlat, placedByName } from './resource.ts'

/**
 * A bundle in another format: the same keys and messages, each where its name says. A flat file has no places of its
 * own (arrays, segments with dots), so none come back in the nested format.
 */
export function inFormat(bundle: Bundle, format: Format): Bundle {
  if (bundle.format === format) return bundle
  return new Bundle(format, placedByName(bundle.tree.entries(), isFlat(format)))
}

/** A stored file in another format. */
export function computeReformat({ stored, format }: { stored: Stored; format: Format }): MadeFile {
  const bundle = inFormat(NO_TREES.take(stored), format)
  return fileOf(bundle, stored, { changed: true, trees: NO_TREES })
}
