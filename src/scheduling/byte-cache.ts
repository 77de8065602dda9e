/** Caches bounded in bytes that drop the least recently used, and bytes without spare memory. */
import { LRUCache } from 'lru-cache'

/** `get(key)`, `set(key, value, { size })`, `delete(key)`: `size` in bytes, `calculatedSize` the sum of all. */
export type ByteCache<V extends {}> = LRUCache<string, V>

/**
 * A cache of at most `limitBytes`, by its callers' sizes. Larger values would drive out all others: they are not kept.
 */
export function byteCache<V extends {}>(limitBytes: number): ByteCache<V> {
  return new LRUCache({ maxSize: Math.max(1, Math.floor(limitBytes)) })
}

/** The share of values taken by a full cache. */
const TAKEN = 1 / 16

/**
 * Keeps a value that may be one of many read in turn. If each drove another out, none would be found: a full cache
 * takes only some. What is read often gets in soon.
 * @param size in bytes
 */
export function offer<V extends {}>(cache: ByteCache<V>, key: string, value: V, size: number): void {
  if (cache.calculatedSize + size <= cache.maxSize || Math.random() < TAKEN) cache.set(key, value, { size })
}

/** Bytes that may hang on to kept ones, for each entry. */
const SLACK = 200

/**
 * The same bytes without spare memory. Node cuts small buffers from 64 KiB, zlib from 16 KiB, and a kept cut keeps it
 * all: a cache of 300-byte bundles would take many times what it counts.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength - bytes.length <= SLACK) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}
