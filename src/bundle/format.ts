/** Carries a bundle from one format to the other. */
import { fileOf, type MadeFile, NO_TREES, type Stored } from './made-file.ts'
import type { Format } from './names.ts'
import { Bundle, isFlat, placedByName } from './resource.ts'
import { placesOf } from './source-file.ts'
import type { SourcePlaces } from './source-places.ts'

/**
 * A bundle in another format, each key where its name says. Flat files have no places of their own (arrays, segments
 * with dots) to come back in the nested format.
 * @param source of the other format; its places come before those of names
 */
export function inFormat(bundle: Bundle, format: Format, source?: SourcePlaces): Bundle {
  if (bundle.format === format) return bundle
  return new Bundle(format, placedByName(bundle.tree.entries(), isFlat(format), source))
}

/** A stored file in another format. */
export function computeReformat({ stored, format }: { stored: Stored; format: Format }): MadeFile {
  const bundle = inFormat(NO_TREES.take(stored), format, placesOf(stored.source))
  return fileOf(bundle, stored, { changed: true, trees: NO_TREES })
}
