/** Caches bounded in bytes: what was used longest ago leaves first. */
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
