/** Short ways to build and read bundles, shared by the tests of the core. */
import { parseBundle, renderBundle } from '../../src/bundle/canonical.ts'
import { renameKeys } from '../../src/bundle/edit-key.ts'
import { Failure } from '../../src/bundle/errors.ts'
import type { FileChange } from '../../src/bundle/file-change.ts'
import { fill, overwrite } from '../../src/bundle/merge.ts'
import type { Format } from '../../src/bundle/names.ts'
import { Bundle, readFragment } from '../../src/bundle/resource.ts'
import type { SourcePlaces } from '../../src/bundle/source-places.ts'

export const NESTED: Format = 'i18next-json'
export const FLAT: Format = 'i18next-json-flat'
export const empty = Bundle.empty(NESTED)

/** Renames one key. @returns undefined where the bundle lacks it */
export function renamedKey(bundle: Bundle, from: string, to: string, source?: SourcePlaces): Bundle | undefined {
  const renamed = renameKeys(bundle, [{ from, to }], source)
  return renamed === bundle ? undefined : renamed
}

/** A body as it is read when it came as JSON.stringify writes it. */
export const fragment = (resource: unknown, format: Format = NESTED, language = 'en') =>
  readFragment(resource, { format, language, escapes: mayEscape(resource) })

/** Nesting of 100,000 levels is refused before anybody writes it. */
function mayEscape(resource: unknown): boolean {
  try {
    return (JSON.stringify(resource) ?? '').includes('\\')
  } catch {
    return true
  }
}

/** A bundle after pushes of whole bodies, one after the other. */
export const pushed = (...bodies: unknown[]): Bundle =>
  bodies.reduce<Bundle>((bundle, body) => overwrite(bundle, fragment(body)).bundle, empty)

/** A bundle after fills of whole bodies. */
export const filled = (...bodies: unknown[]): Bundle =>
  bodies.reduce<Bundle>((bundle, body) => fill(bundle, fragment(body)).bundle, empty)

/** A bundle after pushes of single keys, each with its name as text. */
export const written = (...names: string[]): Bundle => pushed(...names.map(name => ({ [name]: name })))

export const file = (bundle: Bundle): string => renderBundle(bundle).toString()

/** The file as JSON, for comparisons that need no order. */
export const json = (bundle: Bundle): unknown => JSON.parse(file(bundle))

export const parsed = (text: string, format: Format = NESTED): Bundle => parseBundle(Buffer.from(text), format)

/** The message of the `Failure` that something throws; fails loudly when it throws none, or of another code. */
export function failure(code: Failure['code'], run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof Failure && error.code === code) return error.message
    throw error
  }
  throw new Error(`expected a failure "${code}"`)
}

/** The bytes that a change writes, if any. */
export const writtenBytes = (change: FileChange) => (change.kind === 'written' ? change.bytes : undefined)
