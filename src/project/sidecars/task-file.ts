/** The files that a task of a change depends on: by id until the task runs. */
import { reading, type TaskReads } from '../precompute.ts'
import type { State } from '../state.ts'

/** A file of a task: the answer depends on its id, and its bytes are read when the task runs. */
export class TaskFile {
  readonly id: string | null
  readonly read: () => Uint8Array | null

  constructor(id: string | null, read: () => Uint8Array | null) {
    this.id = id
    this.read = read
  }

  static at(path: string, state: State): TaskFile {
    const entry = state.entry(path)
    return new TaskFile(entry?.kind === 'blob' ? entry.id : null, () => state.read(path) ?? null)
  }

  toJSON(): string | null {
    return this.id
  }
}

/** A task with files in place of bytes. As JSON, it is all that the answer depends on. */
export type UnreadTask<T> = T extends Uint8Array
  ? TaskFile
  : T extends object
    ? { [K in keyof T]: UnreadTask<T[K]> }
    : T

/** Reads the files of a task, each once. */
export function* readFiles(value: unknown, known = new Map<TaskFile, Uint8Array | null>()): TaskReads<unknown> {
  if (value instanceof TaskFile) {
    const bytes = known.has(value) ? known.get(value)! : yield* reading(value.read())
    known.set(value, bytes)
    return bytes
  }
  if (typeof value !== 'object' || value === null) return value
  const parts: [string, unknown][] = []
  for (const [name, part] of Object.entries(value)) parts.push([name, yield* readFiles(part, known)])
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts)
}
