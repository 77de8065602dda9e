/** Zip archives in memory (APPNOTE 6.3). Equal files give equal bytes. */
import { crc32, deflateRawSync } from 'node:zlib'
import { Problem } from '../problem.ts'

/** Maxima of the fields of 16 and 32 bits. The extension for more is not written. */
const MAX = { files: 0xffff, bytes: 0xffffffff }
/** Names are UTF-8. */
const UTF8 = 0x0800
const DEFLATED = 8
/** Version 2.0 of the format has folders and deflate. The upper byte declares modes of Unix. */
const VERSION = 20
const MADE_BY = (3 << 8) | VERSION
/** 1980-01-01, the first day of the format: real times would change the bytes of equal files. */
const DATE = (1 << 5) | 1
/** A file, `rw-r--r--`. */
const MODE = 0o100644 * 2 ** 16

/** @param files with relative paths, with `/` @throws Problem above the limits of the format */
export function zipOf(files: readonly { path: string; bytes: Uint8Array }[]): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  for (const { path, bytes } of files) {
    const name = Buffer.from(path)
    const content = deflateRawSync(bytes)
    const common = u16(VERSION, UTF8, DEFLATED, 0, DATE)
    const sizes = [u32(crc32(bytes), content.length, bytes.length), u16(name.length, 0)]
    directory.push(SIGNATURE.entry, u16(MADE_BY), common, ...sizes, u16(0, 0, 0), u32(MODE, at), name)
    const file = [SIGNATURE.file, common, ...sizes, name, content]
    parts.push(...file)
    at += lengthOf(file)
    if (at > MAX.bytes) throw tooLarge()
  }
  const length = lengthOf(directory)
  if (files.length > MAX.files || at + length > MAX.bytes) throw tooLarge()
  const end = [SIGNATURE.end, u16(0, 0, files.length, files.length), u32(length, at), u16(0)]
  return Buffer.concat([...parts, ...directory, ...end])
}

const SIGNATURE = { file: Buffer.from('PK\x03\x04'), entry: Buffer.from('PK\x01\x02'), end: Buffer.from('PK\x05\x06') }

const lengthOf = (parts: readonly Buffer[]) => parts.reduce((sum, { length }) => sum + length, 0)

function u16(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 2)
  for (const [at, number] of numbers.entries()) bytes.writeUInt16LE(number, at * 2)
  return bytes
}

function u32(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [at, number] of numbers.entries()) bytes.writeUInt32LE(number, at * 4)
  return bytes
}

const tooLarge = () =>
  new Problem('That is more than a zip holds: 65,535 files of 4 GiB together.', { hint: 'Export to a folder.' })
