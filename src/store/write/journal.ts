/** The write-ahead journal: what was acknowledged and is not yet in git's own objects, one checked frame per batch. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { closeFile, codeOf, openFile, openSynced, removeFile, syncFile, truncateFile, writeSynced } from '../disk.ts'
import { inSlices, type Steps } from '../steps.ts'

/** One path a commit changes; ids are git blob ids, null where the file is absent. */
export interface JournalChange {
  path: string
  before: string | null
  after: string | null
  /** When set, `data` is a git delta to apply to this blob; otherwise `data` is the file itself. */
  base: string | null
  data: Buffer
}

/** One acknowledged commit, complete: replayed on the same parent anywhere it gives the same commit id. */
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

/** How the names of journal files begin; what follows tells them apart. */
export const JOURNAL_PREFIX = 'journal-'
/** The last journal that ended in a frame which was not whole, kept by the start that dropped it. */
export const UNREAD_JOURNAL = 'unread-journal'

/** Bytes of a frame before its body: the body's length (4), epoch (6), number within the epoch (4), SHA-1 of those three and the body (20). */
export const HEADER = 34
const CHECKED = 14
/** A journal file grows by so many bytes at a time. */
const ALLOCATED = 64 * 1024
const SHRINK_ABOVE = 8 * 1024 * 1024
/** So many bytes are copied and summed up at once: either takes a millisecond. */
const AT_ONCE = 1024 * 1024

/**
 * One journal file, overwritten from its start in every epoch: overwriting a preallocated file and syncing it costs about half
 * of appending to a growing one. A frame counts only with the epoch of the first frame and the next number, so what an earlier
 * epoch left behind the end is never taken for a write. A batch is one frame: a torn one is dropped whole.
 */
export class Journal {
  readonly path: string
  /** Bytes written in this epoch. */
  position = 0
  /** Whether it may hold a frame that was refused: then it must not be left to a recovery, nor used again. */
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

  /** Makes a new journal file. It is durable once its folder is synced. */
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

  /** Starts over from the first byte. Of two journals the one with the lower epoch is replayed first. */
  begin(epoch: number): void {
    this.#epoch = epoch
    this.#frames = 0
    this.position = 0
  }

  /** Appends one batch; on the disk when it resolves. After an error the descriptor must not be used again. */
  async append(commits: JournalCommit[]): Promise<void> {
    const frame = await inSlices(renderFrame(this.#epoch, this.#frames, commits))
    await this.#write(frame)
    this.position += frame.length
    this.#frames++
  }

  /** Writes at the present position; where the file has to grow for it, by zeros more than needed, unless it grows by much. */
  async #write(bytes: Buffer): Promise<void> {
    const end = this.position + bytes.length
    if (end <= this.#length || bytes.length > AT_ONCE) {
      await writeSynced(this.#open, bytes, this.position)
      this.#length = Math.max(this.#length, end)
      return
    }
    const length = Math.ceil(end / ALLOCATED) * ALLOCATED
    await writeSynced(this.#open, Buffer.concat([bytes], length - this.position), this.position)
    this.#length = length
  }

  /** Marks everything in it as no longer needed, so that the next start does not take old versions of files for its own. */
  async retire(): Promise<void> {
    await writeSynced(this.#open, Buffer.alloc(HEADER), 0)
    if (this.position > SHRINK_ABOVE) {
      await truncateFile(this.#open, ALLOCATED)
      this.#length = ALLOCATED
    }
    this.begin(0)
  }

  /**
   * Makes sure that a frame whose append failed is not there after a kill either: its bytes may have reached the disk all the
   * same. Through a descriptor of its own, since the old one is not to be trusted.
   */
  async takeBack(): Promise<void> {
    this.doubtful = true
    const descriptor = await openFile(this.path, 'r+')
    try {
      // Which takes no room, unlike overwriting it.
      await truncateFile(descriptor, this.position)
      this.#length = this.position
      await syncFile(descriptor)
    } finally {
      await closeFile(descriptor)
    }
    this.doubtful = false
  }

  /** Gives the descriptor back, once: its number may be another file's by the next time. */
  async close(): Promise<void> {
    const descriptor = this.#descriptor
    this.#descriptor = undefined
    if (descriptor !== undefined) await closeFile(descriptor)
  }

  get #open(): number {
    if (this.#descriptor === undefined) throw new Error(`${this.path} is closed`)
    return this.#descriptor
  }

  /** Closes and deletes the file; only for a retired journal, or one that is not trusted any more. */
  async remove(): Promise<void> {
    await this.close()
    await removeFile(this.path)
  }
}

/** A commit as the first line of a frame's body holds it: the contents follow that line, in order, `length` bytes each. */
type Described = Omit<JournalCommit, 'changes'> & { changes: (Omit<JournalChange, 'data'> & { length: number })[] }

/** What a journal file holds: the epoch and its whole commits in order; undefined when there is none. */
export async function readJournal(path: string): Promise<{ epoch: number; commits: JournalCommit[] } | undefined> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  let epoch: number | undefined
  const commits: JournalCommit[] = []
  for (let at = 0, number = 0; ; number++) {
    const frame = readFrame(bytes, at)
    if (frame === undefined || frame.number !== number || frame.epoch !== (epoch ??= frame.epoch)) break
    commits.push(...commitsOf(frame))
    at = frame.end
  }
  return epoch === undefined || commits.length === 0 ? undefined : { epoch, commits }
}

/** What a frame's header says, whether or not a whole frame follows; `end` is where that would end. */
export interface FrameHeader {
  epoch: number
  number: number
  end: number
}

/** The header at `at`, undefined past the last place for one. */
export function readHeader(bytes: Buffer, at: number): FrameHeader | undefined {
  if (at + HEADER > bytes.length) return undefined
  const end = at + HEADER + bytes.readUInt32BE(at)
  return { epoch: bytes.readUIntBE(at + 4, 6), number: bytes.readUInt32BE(at + 10), end }
}

/** The frame at `at`, undefined when there is none that is whole. */
export function readFrame(bytes: Buffer, at: number): (FrameHeader & { body: Buffer }) | undefined {
  const header = readHeader(bytes, at)
  if (header === undefined || header.end === at + HEADER || header.end > bytes.length) return undefined
  const body = bytes.subarray(at + HEADER, header.end)
  const sum = checksum(bytes.subarray(at, at + CHECKED), body)
  return sum.equals(bytes.subarray(at + CHECKED, at + HEADER)) ? { ...header, body } : undefined
}

function* renderFrame(epoch: number, number: number, commits: JournalCommit[]): Steps<Buffer> {
  const described = Buffer.from(`[${(yield* describeAll(commits)).join()}]\n`)
  const contents = commits.flatMap(({ changes }) => changes.map(({ data }) => data))
  const length = contents.reduce((sum, { length }) => sum + length, described.length)
  const frame = Buffer.allocUnsafe(HEADER + length)
  frame.writeUInt32BE(length, 0)
  frame.writeUIntBE(epoch, 4, 6)
  frame.writeUInt32BE(number, 10)
  const sum = createHash('sha1').update(frame.subarray(0, CHECKED))
  let at = HEADER
  let summed = HEADER
  for (const content of [described, ...contents]) {
    at += content.copy(frame, at)
    for (; at - summed >= AT_ONCE; summed += AT_ONCE) {
      sum.update(frame.subarray(summed, summed + AT_ONCE))
      yield
    }
  }
  sum.update(frame.subarray(summed)).digest().copy(frame, CHECKED)
  return frame
}

/** The JSON of each commit, without the contents. */
function* describeAll(commits: JournalCommit[]): Steps<string[]> {
  const described: string[] = []
  for (const commit of commits) {
    if (described.length > 0) yield
    described.push(JSON.stringify(describe(commit)))
  }
  return described
}

/** Written out, since objects spread for every commit cost more than their JSON. */
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

/** The commits of a frame, in order. */
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
