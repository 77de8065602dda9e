/** Reads journal files for cut off or damaged frames, and what stands behind them. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifThere } from '../disk.ts'
import {
  commitsOf,
  type FrameHeader,
  framesAtStart,
  HEADER,
  JOURNAL_PREFIX,
  type JournalCommit,
  readFrame,
  readHeader,
} from './journal.ts'

export interface Inspected {
  /** Of the whole frames at its start, in order. */
  commits: JournalCommit[]
  epoch: number
  /**
   * The end after them. `clean`: nothing of this epoch. `cut-off`: a frame never wholly written. `unreadable`: that or
   * a damaged one, see {@link Inspected.behind}.
   */
  end: 'clean' | 'cut-off' | 'unreadable'
  /** Where the last whole frame ends, in bytes. */
  at: number
  /** Commits of whole frames behind a broken one: recovery stops before them. */
  behind: JournalCommit[]
}

/** An epoch counts seals and never gets this far; text read as a number is above. */
const MOST_EPOCHS = 2 ** 40
const MOST_FRAMES = 2 ** 28
/** A frame holds a few megabytes; a length above this is none. */
const LONGEST = 2 ** 26
/** More zeros than any content ends with by chance. */
const ZEROS = 8

/** All journals of a repository, in the order of their writes. */
export async function inspectJournals(gitDir: string): Promise<(Inspected & { path: string })[]> {
  const folder = join(gitDir, 'parlance')
  const names = (await readdir(folder)).filter(name => name.startsWith(JOURNAL_PREFIX))
  const inspect = async (path: string) => {
    const bytes = await ifThere(readFile(path))
    return bytes ? [{ path, ...inspectJournal(bytes) }] : []
  }
  const found = await Promise.all(names.map(name => inspect(join(folder, name))))
  return found.flat().sort((a, b) => a.epoch - b.epoch)
}

/** @param bytes of the whole file */
export function inspectJournal(bytes: Buffer): Inspected {
  const { commits, epoch, number, at } = framesAtStart(bytes)
  const end = judgeEnd(bytes, at, { epoch, number })
  return { commits, epoch, end, at, behind: framesBehind(bytes, at, { epoch, number }).flatMap(commitsOf) }
}

/** A whole frame there is an earlier epoch's; a broken one that claims to be the next was begun. */
function judgeEnd(bytes: Buffer, at: number, expected: { epoch: number; number: number }): Inspected['end'] {
  const header = readHeader(bytes, at)
  if (header === undefined || readFrame(bytes, at) !== undefined) return 'clean'
  const { epoch, number, end } = header
  const first = expected.number === 0
  // An emptied journal begins with zeros. One mark suffices: the other may be damaged.
  const begun = first ? epoch > 0 || end > at + HEADER : number === expected.number || epoch === expected.epoch
  if (!begun) return 'clean'
  const sound = number === expected.number && (first ? epoch > 0 && epoch < MOST_EPOCHS : epoch === expected.epoch)
  // Where a write did not get to, the file ends or still has its first zeros.
  const unwritten = (to: number) => bytes.subarray(to - ZEROS, to).every(byte => byte === 0)
  if (unwritten(at + HEADER)) return 'cut-off'
  if (!sound || end - at > LONGEST) return 'unreadable'
  return end > bytes.length || unwritten(end) ? 'cut-off' : 'unreadable'
}

/** Whole frames from `from` on of the same epoch; of any epoch if the first frame is unreadable. */
function framesBehind(bytes: Buffer, from: number, expected: { epoch: number; number: number }) {
  const isOfEpoch = ({ epoch, number }: FrameHeader) =>
    expected.number > 0 ? epoch === expected.epoch && number >= expected.number : epoch > 0 && epoch < MOST_EPOCHS
  const frames = []
  for (let at = from; at + HEADER <= bytes.length; ) {
    // Zeros are no length, and text is no frame number.
    const plausible = bytes.readUInt32BE(at) > 0 && bytes.readUInt32BE(at + 10) < MOST_FRAMES
    const frame = plausible && isOfEpoch(readHeader(bytes, at)!) ? readFrame(bytes, at) : undefined
    if (frame) frames.push(frame)
    at = frame ? frame.end : at + 1
  }
  return frames
}
