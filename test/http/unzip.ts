/** Reads a zip archive by its central directory (PKWARE's APPNOTE.TXT §4.3), for archives that fit 32 bits. */
import { crc32, inflateRawSync } from 'node:zlib'

/** The files of an archive by path, in order. @throws Error for another format or a wrong checksum */
export function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (end === -1) throw new Error('no end of the central directory')
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== 0x02014b50) throw new Error('no entry of the central directory')
    const [method, checksum, packed, size] = [
      archive.readUInt16LE(at + 10),
      archive.readUInt32LE(at + 16),
      archive.readUInt32LE(at + 20),
      archive.readUInt32LE(at + 24),
    ]
    const nameEnd = at + 46 + archive.readUInt16LE(at + 28)
    const path = archive.toString('utf8', at + 46, nameEnd)
    const local = archive.readUInt32LE(at + 42)
    const data = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const bytes = archive.subarray(data, data + packed)
    const file = method === 0 ? bytes : inflateRawSync(bytes)
    if (file.length !== size || crc32(file) !== checksum) throw new Error(`${path} is damaged`)
    files.set(path, file)
    at = nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return files
}
