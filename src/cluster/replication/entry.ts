/** What an entry of a shared log holds: a batch of commits, framed as in a journal, or a change of refs. */

import type { RefsChange } from '../../store/refs/change-refs.ts'
import { commitsOf, frameOf, type JournalCommit, readFrame, renderFrame } from '../../store/write/journal.ts'
import type { LogEntry } from '../cluster-log.ts'

/** See the top of the file. */
export type EntryContent = { commits: JournalCommit[]; refs?: never } | { commits?: never; refs: RefsChange }

/** In a shared log the entries' numbers order the frames. */
const EPOCH = 1

/** The frame of a batch. */
export const renderBatch = (commits: JournalCommit[]): Promise<Buffer> => renderFrame(EPOCH, 0, commits)

/** The frame of a change of refs: an object in the first line, where a batch has an array, then the tag. */
export function renderRefs({ tag, set, remove }: RefsChange): Promise<Buffer> {
  return frameOf(EPOCH, 0, [Buffer.from(`${JSON.stringify({ set, remove })}\n`), tag])
}

/** @throws Error for a damaged frame */
export function readEntry({ seq, frame }: LogEntry): EntryContent {
  const read = readFrame(frame, 0)
  if (read === undefined || read.end !== frame.length) throw new Error(`entry ${seq} of the shared log is damaged`)
  const { body } = read
  if (body[0] === '['.charCodeAt(0)) return { commits: commitsOf(read) }
  const newline = body.indexOf(10)
  return { refs: { ...JSON.parse(body.toString('utf8', 0, newline)), tag: body.subarray(newline + 1) } }
}
