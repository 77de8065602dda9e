/** The entries of git's trees: their parts, bytes and order. */
import { Failure } from '../../bundle/errors.ts'

export interface TreeEntry {
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

export const OBJECT_ID = /^[0-9a-f]{40}$/

export function entryBytes({ name, kind, id }: Omit<TreeEntry, 'mode'>): Buffer {
  return Buffer.concat([Buffer.from(`${PLAIN[kind]} ${name}\0`), Buffer.from(id, 'hex')])
}

/** An entry's sort key (git's base_name_compare): a folder's name as if it ended in a slash. */
export function sortKey(name: string, kind: TreeEntry['kind']): Buffer {
  return Buffer.from(kind === 'tree' ? `${name}/` : name)
}

/** @throws Failure `invalid` when git could not hold such an entry */
export function checkEntry({ name, id }: Pick<TreeEntry, 'name' | 'id'>): void {
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
}
