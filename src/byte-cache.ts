/** Caches bounded in bytes, where what was used longest ago leaves first; and bytes that take no more memory than they count. */
import { LRUCache } from 'lru-cache'

/** `get(key)`, `set(key, value, { size })`, `delete(key)`: `size` in bytes, `calculatedSize` the sum of all. */
export type ByteCache<V extends {}> = LRUCache<string, V>

/**
 * A cache that holds at most `limitBytes`, by the sizes its callers state. A value larger than that is not kept: it would
 * drive out everything else for one use.
 */
export function byteCache<V extends {}>(limitBytes: number): ByteCache<V> {
  return new LRUCache({ maxSize: Math.max(1, Math.floor(limitBytes)) })
}

/** Of what is offered to a full cache, so much is taken. */
const TAKEN = 1 / 16

/**
 * Keeps a value that may be one of many that are read in turn. If each drove another out, the next one would never be there:
 * a full cache takes only some of what is offered, and so has its share of them. What is read often gets in soon.
 * @param size in bytes
 */
export function offer<V extends {}>(cache: ByteCache<V>, key: string, value: V, size: number): void {
  if (cache.calculatedSize + size <= cache.maxSize || Math.random() < TAKEN) cache.set(key, value, { size })
}

/** What may hang on to bytes that are kept, in bytes: caches count as much for each of their entries besides. */
const SLACK = 200

/**
 * The same bytes, holding no more memory than they need. Node cuts small buffers from slabs of 8 KiB, zlib from chunks of 16 KiB, and a
 * cut that is kept keeps the whole of it: a cache of bundles of 300 bytes would take 27 times what it counts.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength - bytes.length <= SLACK) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}
