/** Git's objects: their types and their ids. */
import { createHash } from 'node:crypto'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface GitObject {
  type: ObjectType
  bytes: Buffer
}

/** Git's id of an object: SHA-1 of `<type> <size>\0` and the content, 40 hex digits. */
export function hashObject(type: ObjectType, bytes: Uint8Array): string {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')
}
