/** The write-ahead journal: acknowledged commits not yet in git's objects, one checked frame per batch. */
import { createHash } from 'node:crypto'
import { joinBytes } from '../../scheduling/join-bytes.ts'
import { slices } from '../../scheduling/slices.ts'
import { closeFile, openFile, openSynced, removeFile, syncFile, truncateFile, writeSynced } from '../disk.ts'

/** One path a commit changes; ids are git blob ids, null where the file is absent. */
export interface JournalChange {
  path: string
  before: string | null
  after: string | null
  /** When set, `data` is a git delta against this blob; else the file itself. */
  base: string | null
  data: Buffer
}

/** One acknowledged commit, complete: replayed on the same parent it gives the same id anywhere. */
export interface JournalCommit {
  before: string | null
  after: string
  /** `Name <address>` as in the commit's header. */
  author: string
  /** Seconds since 1970. */
  time: number
  message: string
  changes: JournalChange[]
}

export const JOURNAL_PREFIX = 'journal-'
/** The last journal that ended in a broken frame. The start that dropped the frame stores it under this name. */
export const UNREAD_JOURNAL = 'unread-journal'

/** Bytes of a frame's header: body length (4), epoch (6), number in the epoch (4), SHA-1 of those and the body (20). */
export const HEADER = 34
const CHECKED = 14
const ALLOCATED = 64 * 1024
const SHRINK_ABOVE = 8 * 1024 * 1024
/** Bytes hashed at once: that needs a millisecond. */
const AT_ONCE = 1024 * 1024

/**
 * One journal file, overwritten from its start in every epoch, which costs half of appending and syncing. A frame
 * counts with the first frame's epoch and the next number: an older rest is never a write. A torn batch is dropped.
 */
export class Journal {
  readonly path: string
  /** Bytes written in this epoch. */
  position = 0
  /** Whether it may hold a refused frame: neither a recovery nor a later write may use it. */
  doubtful = false
  #descriptor: number | undefined
  /** Bytes the file has on the disk. */
  #length = 0
  #epoch = 0
  #frames = 0

  private constructor(path: string, descriptor: number) {
    this.path = path
    this.#descriptor = descriptor
  }

  /** Creates a journal file; durable once its folder is synced. */
  static async open(path: string): Promise<Journal> {
    const descriptor = await openSynced(path)
    const journal = new Journal(path, descriptor)
    try {
      await journal.#write(Buffer.alloc(ALLOCATED))
    } catch (error) {
      await closeFile(descriptor)
      throw error
    }
    return journal
  }

  /** Starts over from the first byte. The journal with the lower epoch is replayed first. */
  begin(epoch: number): void {
    this.#epoch = epoch
    this.#frames = 0
    this.position = 0
  }

  /** Appends one batch; durable when it resolves. After an error the descriptor must not be used again. */
  async append(commits: JournalCommit[]): Promise<void> {
    const frame = await renderFrame(this.#epoch, this.#frames, commits)
    await this.#write(frame)
    this.position += frame.length
    this.#frames++
  }

  /** Writes at the present position. A file that must grow a little gets spare zeros too. */
  async #write(bytes: Buffer): Promise<void> {
    const end = this.position + bytes.length
    const grows = end > this.#length && bytes.length <= AT_ONCE
    const length = grows ? Math.ceil(end / ALLOCATED) * ALLOCATED : end
    await writeSynced(this.#open, grows ? Buffer.concat([bytes], length - this.position) : bytes, this.position)
    this.#length = Math.max(this.#length, length)
  }

  /** Marks its content as done: the next start must not accept old file versions as its own. */
  async retire(): Promise<void> {
    await writeSynced(this.#open, Buffer.alloc(HEADER), 0)
    if (this.position > SHRINK_ABOVE) {
      await truncateFile(this.#open, ALLOCATED)
      this.#length = ALLOCATED
    }
    this.begin(0)
  }

  /** Removes a frame after a failed append: it may be on the disk. The old descriptor cannot be trusted. */
  async takeBack(): Promise<void> {
    this.doubtful = true
    const descriptor = await openFile(this.path, 'r+')
    try {
      // Truncating needs no room; overwriting would.
      await truncateFile(descriptor, this.position)
      this.#length = this.position
      await syncFile(descriptor)
    } finally {
      await closeFile(descriptor)
    }
    this.doubtful = false
  }

  /** Closes the descriptor once: its number may be another file's later. */
  async close(): Promise<void> {
    const descriptor = this.#descriptor
    this.#descriptor = undefined
    if (descriptor !== undefined) await closeFile(descriptor)
  }

  get #open(): number {
    if (this.#descriptor === undefined) throw new Error(`${this.path} is closed`)
    return this.#descriptor
  }

  async remove(): Promise<void> {
    await this.close()
    await removeFile(this.path)
  }
}

/** A commit in the first line of a frame's body; the contents follow in order, `length` bytes each. */
type Described = Omit<JournalCommit, 'changes'> & { changes: (Omit<JournalChange, 'data'> & { length: number })[] }

/** The commits of the whole frames at a file's start, in order, and which frame would come next, and where. */
export function framesAtStart(bytes: Buffer): { commits: JournalCommit[]; epoch: number; number: number; at: number } {
  const commits: JournalCommit[] = []
  let [epoch, number, at] = [0, 0, 0]
  for (; ; number++) {
    const frame = readFrame(bytes, at)
    if (frame === undefined || frame.number !== number || (number > 0 && frame.epoch !== epoch)) break
    epoch = frame.epoch
    commits.push(...commitsOf(frame))
    at = frame.end
  }
  return { commits, epoch, number, at }
}

/** A frame's header, whether or not the frame is whole; `end` is where it should end. */
export interface FrameHeader {
  epoch: number
  number: number
  end: number
}

export function readHeader(bytes: Buffer, at: number): FrameHeader | undefined {
  if (at + HEADER > bytes.length) return undefined
  const end = at + HEADER + bytes.readUInt32BE(at)
  return { epoch: bytes.readUIntBE(at + 4, 6), number: bytes.readUInt32BE(at + 10), end }
}

export function readFrame(bytes: Buffer, at: number): (FrameHeader & { body: Buffer }) | undefined {
  const header = readHeader(bytes, at)
  if (header === undefined || header.end === at + HEADER || header.end > bytes.length) return undefined
  const body = bytes.subarray(at + HEADER, header.end)
  const sum = checksum(bytes.subarray(at, at + CHECKED), body)
  return sum.equals(bytes.subarray(at + CHECKED, at + HEADER)) ? { ...header, body } : undefined
}

/** The frame of a batch. */
export async function renderFrame(epoch: number, number: number, commits: JournalCommit[]): Promise<Buffer> {
  const described: string[] = []
  const pause = slices()
  for (const commit of commits) {
    described.push(JSON.stringify(describe(commit)))
    await pause()
  }
  const contents = commits.flatMap(({ changes }) => changes.map(({ data }) => data))
  return frameOf(epoch, number, [Buffer.from(`[${described.join()}]\n`), ...contents])
}

/** A frame with these parts as its body. */
export async function frameOf(epoch: number, number: number, parts: Buffer[]): Promise<Buffer> {
  const pause = slices()
  const frame = await joinBytes(parts, { before: HEADER, pause })
  frame.writeUInt32BE(frame.length - HEADER, 0)
  frame.writeUIntBE(epoch, 4, 6)
  frame.writeUInt32BE(number, 10)
  const sum = createHash('sha1').update(frame.subarray(0, CHECKED))
  for (let at = HEADER; at < frame.length; at += AT_ONCE) {
    sum.update(frame.subarray(at, at + AT_ONCE))
    await pause()
  }
  sum.digest().copy(frame, CHECKED)
  return frame
}

/** Written out: spreading objects for each commit costs more than their JSON. */
function describe({ before, after, author, time, message, changes }: JournalCommit): Described {
  const files = changes.map(({ path, before, after, base, data }) => ({
    path,
    before,
    after,
    base,
    length: data.length,
  }))
  return { before, after, author, time, message, changes: files }
}

export function commitsOf({ body }: { body: Buffer }): JournalCommit[] {
  const newline = body.indexOf(10)
  const described: Described[] = JSON.parse(body.toString('utf8', 0, newline))
  let at = newline + 1
  return described.map(commit => ({
    ...commit,
    changes: commit.changes.map(({ length, ...change }) => ({ ...change, data: body.subarray(at, (at += length)) })),
  }))
}

function checksum(header: Buffer, body: Buffer): Buffer {
  return createHash('sha1').update(header).update(body).digest()
}
