/** The entries of git's trees: their parts, bytes and order. */
import { Failure } from '../../bundle/errors.ts'

/** One entry of a folder. */
export interface Entry {
  /** UTF-8, without a slash. */
  name: string
  /** `tree` for a folder, `blob` for all else, links and submodules too: see `mode`. */
  kind: 'blob' | 'tree'
  /** The object's id, 40 hex digits (a submodule's is another repository's commit). */
  id: string
  /** Git's octal mode of special entries: `100755`, `120000` (symbolic link), `160000` (submodule)… */
  mode?: string
}

/** The modes of a plain file and of a folder. */
export const PLAIN = { blob: '100644', tree: '40000' }

/** An id as git writes it. */
export const OBJECT_ID = /^[0-9a-f]{40}$/

/** Bytes that go, or an entry in their place; `key` is what it sorts by. */
export interface Cut {
  from: number
  to: number
  key?: Buffer
  added?: Buffer
}

/** A tree's bytes after cuts that do not overlap; entries at one place come in order. */
export function cutInto(bytes: Buffer, cuts: Cut[]): Buffer {
  // An entry that comes before a removed one stands at the same place.
  cuts.sort((a, b) => a.from - b.from || (a.key && b.key ? Buffer.compare(a.key, b.key) : a.key ? -1 : 1))
  const pieces: Buffer[] = []
  let at = 0
  for (const { from, to, added } of cuts) {
    pieces.push(bytes.subarray(at, from))
    if (added) pieces.push(added)
    at = to
  }
  return Buffer.concat([...pieces, bytes.subarray(at)])
}

/** An entry's bytes in a tree. */
export function entryBytes({ name, id }: Pick<Entry, 'name' | 'id'>, mode: string): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])
}

/** An entry's sort key (git's base_name_compare): a folder's name as if it ended in a slash. */
export function sortKey(name: string, kind: Entry['kind']): Buffer {
  return Buffer.from(kind === 'tree' ? `${name}/` : name)
}

/** @throws Failure `invalid` when git could not hold such an entry */
export function checkEntry(entry: Entry): void {
  const { name, id, mode } = entry
  if (
    name === '' ||
    name === '.' ||
    name === '..' ||
    /[/\0]/.test(name) ||
    name.toLowerCase() === '.git' ||
    /\p{Surrogate}/u.test(name)
  ) {
    throw new Failure('invalid', `${JSON.stringify(name)} cannot be a name in a git tree.`)
  }
  if (!OBJECT_ID.test(id)) throw new Failure('invalid', `${JSON.stringify(id)} is no object id of 40 hex digits.`)
  if (mode !== undefined && !/^[1-7][0-7]{4,5}$/.test(mode))
    throw new Failure('invalid', `${JSON.stringify(mode)} is no file mode.`)
  if (mode !== undefined && (mode === PLAIN.tree) !== (entry.kind === 'tree')) {
    throw new Failure('invalid', `Mode ${mode} does not belong to a ${entry.kind}.`)
  }
}
