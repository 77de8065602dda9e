/** A journal file read for what may be wrong with it: frames that are cut off or damaged, and what stands behind them. */
import { commitsOf, type FrameHeader, HEADER, type JournalCommit, readFrame, readHeader } from './journal.ts'

/** A journal file as far as it was read. */
export interface Inspected {
  /** Of the whole frames at its start, in order. */
  commits: JournalCommit[]
  epoch: number
  /**
   * What follows them. `clean`: nothing of this epoch. `cut-off`: a frame that was never wholly written. `unreadable`: a frame
   * that was cut off or damaged, which cannot be told apart. What stands behind it tells more: {@link Inspected.behind}.
   */
  end: 'clean' | 'cut-off' | 'unreadable'
  /** Where the last whole frame ends, in bytes. */
  at: number
  /** Commits of whole frames behind a frame that is not: recovery stops before them. */
  behind: JournalCommit[]
}

/** An epoch counts seals and is far from this many for as long as a server lives; text read as a number is above. */
const MOST_EPOCHS = 2 ** 40
const MOST_FRAMES = 2 ** 28
/** A frame holds a batch of a few megabytes; a length far above is no length. */
const LONGEST = 2 ** 26
/** More than any content ends with by chance. */
const ZEROS = 8

/** @param bytes of the whole file */
export function inspectJournal(bytes: Buffer): Inspected {
  const commits: JournalCommit[] = []
  let epoch = 0
  let at = 0
  let number = 0
  for (; ; number++) {
    const frame = readFrame(bytes, at)
    if (frame === undefined || frame.number !== number || (number > 0 && frame.epoch !== epoch)) break
    epoch = frame.epoch
    commits.push(...commitsOf(frame))
    at = frame.end
  }
  const end = judgeEnd(bytes, at, { epoch, number })
  return { commits, epoch, end, at, behind: framesBehind(bytes, at, { epoch, number }).flatMap(commitsOf) }
}

/** A frame that is whole there is an earlier epoch's; one that is not whole but says that it is the next was begun. */
function judgeEnd(bytes: Buffer, at: number, expected: { epoch: number; number: number }): Inspected['end'] {
  const header = readHeader(bytes, at)
  if (header === undefined || readFrame(bytes, at) !== undefined) return 'clean'
  const { epoch, number, end } = header
  const first = expected.number === 0
  // An emptied journal begins with zeros. One of the two marks suffices, since the other may be what was damaged.
  const begun = first ? epoch > 0 || end > at + HEADER : number === expected.number || epoch === expected.epoch
  if (!begun) return 'clean'
  const sound = number === expected.number && (first ? epoch > 0 && epoch < MOST_EPOCHS : epoch === expected.epoch)
  // Where a write did not get to, the file still ends, or still has the zeros that it was made with.
  const unwritten = (to: number) => bytes.subarray(to - ZEROS, to).every(byte => byte === 0)
  if (unwritten(at + HEADER)) return 'cut-off'
  if (!sound || end - at > LONGEST) return 'unreadable'
  return end > bytes.length || unwritten(end) ? 'cut-off' : 'unreadable'
}

/** Whole frames from `from` on that could be of the same epoch: of that one if it is known, of any if the first frame cannot be read. */
function framesBehind(bytes: Buffer, from: number, expected: { epoch: number; number: number }) {
  const isOfEpoch = ({ epoch, number }: FrameHeader) =>
    expected.number > 0 ? epoch === expected.epoch && number >= expected.number : epoch > 0 && epoch < MOST_EPOCHS
  const frames = []
  for (let at = from; at + HEADER <= bytes.length; ) {
    // Mostly zeros, which are no length, or text, which is no number of a frame.
    const plausible = bytes.readUInt32BE(at) > 0 && bytes.readUInt32BE(at + 10) < MOST_FRAMES
    const frame = plausible && isOfEpoch(readHeader(bytes, at)!) ? readFrame(bytes, at) : undefined
    if (frame) frames.push(frame)
    at = frame ? frame.end : at + 1
  }
  return frames
}
