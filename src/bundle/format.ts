/** Carries a bundle from one format to the other. */
import { fileOf, type MadeFile, NO_TREES, type Stored } from './made-file.ts'
import type { Format } from './names.ts'
import { Bundle, isFlat, placedByName } from './resource.ts'

/**
 * A bundle in another format, each key where its name says. Flat files have no places of their own (arrays, segments
 * with dots) to come back in the nested format.
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
