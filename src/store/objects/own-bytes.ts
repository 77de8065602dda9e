/** Bytes that are kept for long, in memory of their own. */

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
