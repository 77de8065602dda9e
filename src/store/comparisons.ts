/** What two versions of a bundle differ in, remembered by their blob ids: an id names the same bytes for ever. */
import { parseBundle } from '../bundle/canonical.ts'
import { type ChangeCounts, countChanges, diffBundles, type KeyChange } from '../bundle/diff.ts'
import { Failure } from '../bundle/errors.ts'
import { Bundle } from '../bundle/resource.ts'
import { changedMembers } from './changed-members.ts'
import { ByteLru } from './objects/byte-lru.ts'

/** Two versions of a file by their blob ids, null where it is absent. */
export interface Versions {
  before: string | null
  after: string | null
}

/** The bytes of two versions; null where the file is absent. */
export interface VersionBytes {
  before: Buffer | null
  after: Buffer | null
}

const NO_CHANGES: ChangeCounts = { added: 0, updated: 0, removed: 0 }
/** What an entry takes beside its names: two ids and the map's own room. */
const ENTRY_BYTES = 250

/**
 * The bundle of a file, which holds the same keys with the same messages in either format: the format tells where keys
 * stand. A file that is absent holds none, and neither does one that breaks the rules, which someone may have committed while
 * no server ran.
 */
export function bundleIn(bytes: Buffer | null): Bundle {
  if (bytes === null) return Bundle.empty('i18next-json')
  try {
    return parseBundle(bytes, 'i18next-json')
  } catch (error) {
    if (error instanceof Failure && error.code === 'unfit') return Bundle.empty('i18next-json')
    throw error
  }
}

/** The keys that differ between two versions, in code-unit order. */
export function compare({ before, after }: VersionBytes): KeyChange[] {
  return diffBundles(bundleIn(before), bundleIn(after))
}

/** See the top of the file. */
export class Comparisons {
  readonly #counts: ByteLru<ChangeCounts>
  readonly #members: ByteLru<readonly string[] | 'any'>

  /** @param limitBytes of all that is remembered */
  constructor(limitBytes: number) {
    this.#counts = new ByteLru(limitBytes / 2)
    this.#members = new ByteLru(limitBytes / 2)
  }

  /** How many keys differ, when that is known without the bytes. */
  knownCounts(versions: Versions): ChangeCounts | undefined {
    return versions.before === versions.after ? NO_CHANGES : this.#counts.get(nameOf(versions))
  }

  /** @param changes what {@link compare} says of the versions */
  counts(versions: Versions, changes: readonly KeyChange[]): ChangeCounts {
    const counts = countChanges(changes)
    this.#counts.set(nameOf(versions), counts, ENTRY_BYTES)
    return counts
  }

  /** The names of the members whose texts may differ, `any` when only reading tells; undefined when that is not known without the bytes. */
  knownMembers(versions: Versions): readonly string[] | 'any' | undefined {
    return this.#members.get(nameOf(versions))
  }

  /** @param bytes those of `after` must be canonical */
  members(versions: Versions, { before, after }: { before: Buffer; after: Buffer }): readonly string[] | 'any' {
    const members = changedMembers(before, after) ?? 'any'
    const size = members === 'any' ? 0 : members.reduce((sum, name) => sum + 2 * name.length + 50, 0)
    this.#members.set(nameOf(versions), members, ENTRY_BYTES + size)
    return members
  }
}

const nameOf = ({ before, after }: Versions) => `${before}${after}`
