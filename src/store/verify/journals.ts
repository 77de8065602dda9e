/** What the journals of an organization hold that git has not, and whether all of it can be read. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectReader } from '../objects/objects.ts'
import {
  commitsOf,
  type FrameHeader,
  HEADER,
  JOURNAL_PREFIX,
  type JournalCommit,
  readFrame,
  readHeader,
} from '../write/journal.ts'
import { count, type Found, READABLE, RESTORE, unreadable } from './finding.ts'

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
  return { commits, epoch, end, behind: framesBehind(bytes, at, { epoch, number }).flatMap(commitsOf) }
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

/**
 * Reads the journals of an organization that no server has open.
 * @returns the acknowledged commits in the order in which they were made, those that git has too included
 */
export async function verifyJournals(gitDir: string, reader: ObjectReader, found: Found): Promise<JournalCommit[]> {
  const inspected: Inspected[] = []
  const folder = join(gitDir, 'parlance')
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter(name => name.startsWith(JOURNAL_PREFIX)).sort()) {
    const path = `.git/parlance/${name}`
    try {
      const journal = inspectJournal(await readFile(join(folder, name)))
      inspected.push(journal)
      report(journal, path, reader, found)
    } catch (error) {
      found({ severity: 'error', path, what: unreadable(error), todo: READABLE })
    }
  }
  return inspected.sort((a, b) => a.epoch - b.epoch).flatMap(({ commits }) => commits)
}

function report({ end, behind }: Inspected, path: string, reader: ObjectReader, found: Found): void {
  // What an earlier epoch left there has long been in git.
  const lost = behind.filter(({ after }) => !reader.has(after))
  if (lost.length > 0) {
    found({
      severity: 'error',
      path,
      what: `The journal is damaged: ${count(lost.length, 'acknowledged write')} behind the damage cannot be made again by the next start.`,
      todo: `Keep a copy of the file. ${RESTORE}`,
    })
  } else if (end === 'unreadable') {
    found({
      severity: 'warning',
      path,
      what: 'The last frame of the journal is not whole: a write that was cut off before it was acknowledged, or damage.',
      todo: 'After a power cut or a kill there is nothing to do, the next start drops it. Otherwise keep a copy of the file, and compare what was written last with the backup.',
    })
  } else if (end === 'cut-off') {
    found({
      severity: 'note',
      path,
      what: 'The last frame of the journal was cut off before it was acknowledged.',
      todo: 'Nothing: the next start drops it.',
    })
  }
}
