/** One page of a history: counts of changed keys per commit, or one key's messages. */
import { type ChangeCounts, sameMessage } from '../../bundle/diff.ts'
import { Failure } from '../../bundle/errors.ts'
import type { Message } from '../../bundle/message.ts'
import type { ChangedFile, ProjectPart } from '../../project/changed-files.ts'
import { byteCache } from '../../scheduling/byte-cache.ts'
import { slices } from '../../scheduling/slices.ts'
import type { Comparisons } from '../comparisons.ts'
import { type CommitText, readCommitText } from '../objects/commit.ts'
import type { CatFile } from './cat-file.ts'
import type { LoggedCommit } from './log.ts'

export interface HistoryScope extends ProjectPart {
  /** A key of the model; needs a namespace. */
  key?: string | undefined
  /** The e-mail address of the author of its commits, exactly. */
  author?: string | undefined
}

export interface Revision extends CommitText {
  revision: string
  /** Changed keys within the scope; null for a huge commit that does not state them. */
  changes: ChangeCounts | null
  /** In a key's history: the language, and the key before and after; null is nothing. */
  message?: { language: string; before: Message | null; after: Message | null }
}

/** Where a page goes on: a commit, and in a key's history one of its languages. */
export interface Cursor {
  revision: string
  language?: string | undefined
}

export interface Page {
  revisions: Revision[]
  /** Null at the end. After very many versions a page may end before it is full, even empty. */
  next: Cursor | null
  /** Whether any commit of the walk changed a file of the scope. */
  touched: boolean
}

interface PageSource {
  commits: AsyncIterable<LoggedCommit>
  objects: CatFile
  comparisons: Comparisons
}

interface PageOptions {
  scope: HistoryScope
  cursor: Cursor | undefined
  limit: number
  /** When reading ends (`performance.now()`). */
  until: number
}

/** A file of a commit, or a commit without files to compare. */
interface Step {
  commit: LoggedCommit
  file?: ChangedFile & { language: string }
  first: boolean
}

/** Bytes of messages on a page, besides its last row. */
const MESSAGES_BYTES = 8 * 2 ** 20

export async function readCounts(source: PageSource, options: PageOptions): Promise<Page> {
  const { objects, comparisons } = source
  const rows: { commit: LoggedCommit; counts: ChangeCounts }[] = []
  const count = async (file: ChangedFile) => {
    const [before, after] = await Promise.all([file.before, file.after].map(id => blobOf(objects, id)))
    const task = { before: before!, after: after!, behind: null, most: 0, bytes: 0 }
    return (await comparisons.diff(file, task)).counts
  }
  const walk = await readSteps(source, options, {
    isFull: ({ first }) => first && rows.length === options.limit,
    mayEnd: ({ first }) => first,
    read: async ({ commit, file, first }) => {
      if (first) rows.push({ commit, counts: { added: 0, updated: 0, removed: 0 } })
      if (file === undefined) return
      const counts = comparisons.knownCounts(file) ?? (await count(file))
      const sums = rows.at(-1)!.counts
      for (const name of ['added', 'updated', 'removed'] as const) sums[name] += counts[name]
    },
  })
  const revisions = rows.map(async ({ commit, counts }) => {
    const text = await textOf(objects, commit)
    return { revision: commit.id, ...text, changes: commit.more ? statedCounts(text, commit, options.scope) : counts }
  })
  return { ...walk, revisions: await Promise.all(revisions) }
}

export async function readKey(source: PageSource, key: string, options: PageOptions): Promise<Page> {
  const { objects, comparisons } = source
  // Neighbouring commits share a version.
  const messages = byteCache<{ message: Message | null }>(MESSAGES_BYTES)
  const messageIn = async (id: string | null) => {
    const known = id === null ? { message: null } : messages.get(id)
    if (known) return known.message
    const message = await comparisons.message(await blobOf(objects, id), key)
    messages.set(id!, { message }, { size: sizeOf(message) + 100 })
    return message
  }
  let size = 0
  const rows: { commit: LoggedCommit; message: NonNullable<Revision['message']> }[] = []
  const walk = await readSteps(source, options, {
    isFull: () => rows.length === options.limit || size > MESSAGES_BYTES,
    mayEnd: () => true,
    read: async ({ commit, file }) => {
      if (file === undefined || comparisons.hasEqual(file, key)) return
      const [before, after] = [await messageIn(file.before), await messageIn(file.after)]
      if (sameMessage(before, after)) return comparisons.noteEqual(file, key)
      size += sizeOf(before) + sizeOf(after)
      rows.push({ commit, message: { language: file.language, before, after } })
    },
  })
  const revisions = rows.map(async ({ commit, message }) => ({
    revision: commit.id,
    ...(await textOf(objects, commit)),
    changes: {
      added: Number(message.before === null),
      updated: Number(message.before !== null && message.after !== null),
      removed: Number(message.after === null),
    },
    message,
  }))
  return { ...walk, revisions: await Promise.all(revisions) }
}

interface PageSteps {
  /** Whether no row is missing, so that reading ends before this step. */
  isFull: (step: Step) => boolean
  /** Whether a page past its time may end before this step. */
  mayEnd: (step: Step) => boolean
  read: (step: Step) => Promise<void>
}

/** Reads steps until no row is missing or the time is over. The next request starts there. */
async function readSteps(
  { commits }: PageSource,
  { cursor, until }: PageOptions,
  { isFull, mayEnd, read }: PageSteps,
): Promise<Omit<Page, 'revisions'>> {
  const pause = slices()
  let steps = 0
  for await (const step of stepsOf(commits, cursor)) {
    const isLate = steps > 0 && performance.now() > until
    if (isFull(step) || (isLate && mayEnd(step))) return { next: cursorAt(step), touched: true }
    await pause()
    await read(step)
    steps++
  }
  if (cursor && steps === 0) throw foreignCursor()
  return { next: null, touched: steps > 0 }
}

/** @throws Failure `invalid` when the walk does not begin at the cursor: it is another history's */
async function* stepsOf(commits: AsyncIterable<LoggedCommit>, cursor: Cursor | undefined): AsyncGenerator<Step> {
  let isFirst = true
  for await (const commit of commits) {
    if (isFirst && cursor && cursor.revision !== commit.id) throw foreignCursor()
    const from = isFirst ? cursor?.language : undefined
    isFirst = false
    const files = (commit.more ? [] : commit.files)
      .filter(({ language }) => from === undefined || language >= from)
      .sort((a, b) => (a.path < b.path ? -1 : 1))
    const count = Math.max(1, files.length)
    for (let at = 0; at < count; at++) {
      const file = files[at]
      yield { commit, first: at === 0, ...(file && { file }) }
    }
  }
}

const cursorAt = ({ commit, file, first }: Step): Cursor => ({
  revision: commit.id,
  language: first ? undefined : file?.language,
})

const foreignCursor = () => new Failure('invalid', 'The cursor is of no page of this history: give the `next` of one.')

const sizeOf = (message: Message | null) => 2 * JSON.stringify(message).length

async function textOf(objects: CatFile, { id }: LoggedCommit): Promise<CommitText> {
  return readCommitText((await objects.read(id))?.bytes ?? Buffer.alloc(0))
}

/** The content of a file; null where it is absent, or anything but a file. */
async function blobOf(objects: CatFile, id: string | null): Promise<Buffer | null> {
  const object = id === null ? undefined : await objects.read(id)
  return object?.type === 'blob' ? object.bytes : null
}

/** The counts that a commit of ours states, when they are about the scope and nothing beyond. */
function statedCounts(
  { body }: CommitText,
  { ours }: LoggedCommit,
  { language, namespace }: HistoryScope,
): ChangeCounts | null {
  const said = (name: string) =>
    [...body.matchAll(new RegExp(`^Parlance-${name}: (.*)$`, 'gm'))].map(match => match[1]!)
  const isAbout = (asked: string | undefined, names: string[]) =>
    asked === undefined || (names.length > 0 && names.every(name => name === asked))
  if (!ours || !isAbout(language, said('Language')) || !isAbout(namespace, said('Namespace'))) return null
  const [added, updated, removed = '0'] = ['Added', 'Updated', 'Removed'].map(name => said(name)[0])
  return added === undefined || updated === undefined
    ? null
    : { added: Number(added), updated: Number(updated), removed: Number(removed) }
}
