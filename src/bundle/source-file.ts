/** The source language's file beside a file that changes. */
import { parseResource } from './canonical.ts'
import { Failure } from './errors.ts'
import { SourcePlaces } from './source-places.ts'

/** A file of the source language, by its blob id. */
export interface SourceFile {
  id: string
  bytes: Uint8Array
}

/** Bytes of a file that stays parsed for the next write: apps send keys one by one. */
const LARGEST_RETAINED = 2 ** 20

let last: { id: string; places: SourcePlaces } | undefined

/** The places of a source file, undefined without one. A file that a person has broken has none. */
export function placesOf(source: SourceFile | undefined): SourcePlaces | undefined {
  if (source === undefined) return undefined
  const { id } = source
  if (last?.id === id) return last.places
  const { bytes } = source
  const places = new SourcePlaces(resourceOf(bytes))
  if (bytes.length <= LARGEST_RETAINED) last = { id, places }
  return places
}

function resourceOf(bytes: Uint8Array): object {
  try {
    return parseResource(bytes)
  } catch (error) {
    if (error instanceof Failure && error.code === 'unfit') return {}
    throw error
  }
}
