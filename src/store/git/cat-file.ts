/** `git cat-file --batch`: many objects from one process, asked for ahead and answered in turn. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { Failure } from '../../bundle/errors.ts'
import type { GitObject, ObjectType } from '../objects/objects.ts'
import { endGroup, startIn } from './git.ts'

/** Larger objects are passed over, in bytes; no file of ours comes near. */
const MOST_BYTES = 32 * 2 ** 20
const NEWLINE = 0x0a

interface Asked {
  resolve: (object: GitObject | undefined) => void
  reject: (error: unknown) => void
}

/** {@link CatFile.start} starts it, {@link CatFile.close} ends it. */
export class CatFile {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #asked: Asked[] = []
  #failure: unknown
  #lines = ''
  #header = ''
  /** The arriving object; `bytes` is unset for one that is passed over. */
  #object: { type: ObjectType; bytes: Buffer | undefined; size: number; filled: number } | undefined

  private constructor(child: ChildProcessWithoutNullStreams, signal: AbortSignal) {
    this.#child = child
    child.stderr.resume()
    child.stdout.on('data', chunk => this.#receive(chunk))
    const end = () => this.#fail(signal.aborted ? signal.reason : unreadable())
    child.on('error', end).on('close', end)
  }

  /** @param signal ends it when aborted */
  static async start(gitDir: string, signal: AbortSignal): Promise<CatFile> {
    const argv = ['--no-replace-objects', 'cat-file', '--batch']
    return new CatFile(await startIn(gitDir, argv, { input: null, signal }), signal)
  }

  /**
   * The object of a full id; undefined when the repository lacks it, or it is larger than 32 MiB.
   * @throws Failure `unavailable` when git ends before it answers, and the signal's reason
   */
  read(id: string): Promise<GitObject | undefined> {
    const answer = new Promise<GitObject | undefined>((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure)
      this.#asked.push({ resolve, reject })
      if (this.#lines === '') process.nextTick(() => this.#send())
      this.#lines += `${id}\n`
    })
    // Of two reads at once the other may have failed before.
    answer.catch(() => {})
    return answer
  }

  close(): void {
    endGroup(this.#child)
  }

  /** One write for all questions of one go: each write is a system call. */
  #send(): void {
    this.#child.stdin.write(this.#lines)
    this.#lines = ''
  }

  #receive(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) at = this.#object ? this.#fill(chunk, at) : this.#begin(chunk, at)
  }

  #begin(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(NEWLINE, at)
    this.#header += chunk.toString('latin1', at, end < 0 ? chunk.length : end)
    if (end < 0) return chunk.length
    const [, type, size] = this.#header.split(' ')
    this.#header = ''
    if (size === undefined) this.#asked.shift()?.resolve(undefined)
    else this.#object = { type: type as ObjectType, bytes: roomFor(Number(size)), size: Number(size), filled: 0 }
    return end + 1
  }

  #fill(chunk: Buffer, at: number): number {
    const object = this.#object!
    const end = Math.min(chunk.length, at + object.size + 1 - object.filled)
    if (object.bytes) chunk.copy(object.bytes, object.filled, at, Math.min(end, at + object.size - object.filled))
    object.filled += end - at
    if (object.filled <= object.size) return end
    this.#object = undefined
    this.#asked.shift()?.resolve(object.bytes && { type: object.type, bytes: object.bytes })
    return end
  }

  #fail(error: unknown): void {
    this.#failure ??= error
    for (const { reject } of this.#asked.splice(0)) reject(error)
  }
}

const roomFor = (size: number) => (size <= MOST_BYTES ? Buffer.allocUnsafe(size) : undefined)

function unreadable(): Failure {
  return new Failure('unavailable', "git could not read the repository's objects; try again in a moment.")
}
