/** Caches with a limit in bytes that drop the least recently used value, and buffers without spare memory. */
import { LRUCache } from 'lru-cache'

/** `get(key)`, `set(key, value, { size })`, `delete(key)`: `size` in bytes, `calculatedSize` the sum of all. */
export type ByteCache<V extends {}> = LRUCache<string, V>

/** A cache of at most `limitBytes`, by its callers' sizes. It refuses larger values: they would evict all others. */
export function byteCache<V extends {}>(limitBytes: number): ByteCache<V> {
  return new LRUCache({ maxSize: Math.max(1, Math.floor(limitBytes)) })
}

/** The share of values that a full cache accepts. */
const ACCEPTED = 1 / 16

/**
 * Caches a value of a scan over many. If each evicted another, no read would find one: a full cache accepts only some.
 * Frequently read values enter soon.
 * @param size in bytes
 */
export function offer<V extends {}>(cache: ByteCache<V>, key: string, value: V, size: number): void {
  if (cache.calculatedSize + size <= cache.maxSize || Math.random() < ACCEPTED) cache.set(key, value, { size })
}

/** Spare bytes that an entry may have. */
const SLACK = 200

/**
 * The same bytes without spare memory. Node slices small buffers from 64 KiB, zlib from 16 KiB, and a slice retains the
 * whole. A cache of 300-byte bundles would need many times its counted size.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength - bytes.length <= SLACK) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}
