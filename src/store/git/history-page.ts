/** One page of a history: counts of changed keys per commit, or one key's messages. */
import { type ChangeCounts, sameMessage } from '../../bundle/diff.ts'
import { Failure } from '../../bundle/errors.ts'
import type { Message } from '../../bundle/message.ts'
import { byteCache } from '../../byte-cache.ts'
import type { ChangedFile, Part } from '../../project/changed-files.ts'
import { slices } from '../../slices.ts'
import { leafNames } from '../changed-members.ts'
import type { Comparisons } from '../comparisons.ts'
import { type CommitText, readCommitText } from '../objects/commit.ts'
import type { CatFile } from './cat-file.ts'
import type { LoggedCommit } from './log.ts'

/** Whose history is asked for. */
export interface HistoryScope extends Part {
  /** A key of the model; needs a namespace. */
  key?: string | undefined
  /** The e-mail address of the author of its commits, exactly. */
  author?: string | undefined
}

/** A commit that changed what was asked for. */
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

/** A page of a history. */
export interface Page {
  revisions: Revision[]
  /** Null at the end. After very many versions a page may end before it is full, even empty. */
  next: Cursor | null
  /** Whether any commit of the walk changed a file of the scope. */
  touched: boolean
}

/** What a page is read from. */
interface PageSource {
  commits: AsyncIterable<LoggedCommit>
  objects: CatFile
  comparisons: Comparisons
}

/** What is asked for, and how long it may take. */
interface PageOptions {
  scope: HistoryScope
  cursor: Cursor | undefined
  limit: number
  /** When the page is to end (`performance.now()`). */
  until: number
}

/** The contents of a file before and after a commit; null where it is absent. */
type Contents = Record<'before' | 'after', Buffer | null>

/** A file of a commit, or a commit without files to compare. */
interface Step {
  commit: LoggedCommit
  file?: ChangedFile & { language: string }
  first: boolean
}

/** Versions asked for ahead, and their most bytes in memory. */
const MOST_AHEAD = 64
const AHEAD_BYTES = 16 * 2 ** 20
/** Bytes of messages in a page, beside its last row. */
const MESSAGES_BYTES = 8 * 2 ** 20

/** The commits with the counts of keys they changed. */
export async function readCounts(source: PageSource, options: PageOptions): Promise<Page> {
  const { objects, comparisons } = source
  const blobs = new Blobs(objects)
  const rows: { commit: LoggedCommit; text: Promise<CommitText>; counts: ChangeCounts }[] = []
  const count = async (file: ChangedFile, contents: Contents) =>
    (await comparisons.diff(file, { ...contents, behind: null, most: 0, bytes: 0 })).counts
  const begin = ({ commit, file, first }: Step) => ({
    text: first ? textOf(objects, commit) : undefined,
    bytes: file && comparisons.knownCounts(file) === undefined ? blobs.both(file) : undefined,
  })
  const walk = await readSteps(source, options, begin, {
    full: ({ first }) => first && rows.length === options.limit,
    mayEnd: ({ first }) => first,
    take: async ({ commit, file }, { text, bytes }) => {
      if (text) rows.push({ commit, text, counts: { added: 0, updated: 0, removed: 0 } })
      if (file === undefined) return
      const counts = comparisons.knownCounts(file) ?? (await count(file, await (bytes ?? blobs.both(file))))
      const sums = rows.at(-1)!.counts
      for (const name of ['added', 'updated', 'removed'] as const) sums[name] += counts[name]
    },
  })
  const revisions = rows.map(async ({ commit, text, counts }) => {
    const said = await text
    return { revision: commit.id, ...said, changes: commit.more ? statedCounts(said, commit, options.scope) : counts }
  })
  return { ...walk, revisions: await Promise.all(revisions) }
}

/** The commits that changed a key, one row per language. */
export async function readKey(source: PageSource, key: string, options: PageOptions): Promise<Page> {
  const { objects, comparisons } = source
  const blobs = new Blobs(objects)
  const names = leafNames(key)
  const held = byteCache<{ message: Message | null }>(MESSAGES_BYTES)
  const messageIn = async (id: string | null, bytes: Buffer | null) => {
    const known = id === null ? { message: null } : held.get(id)
    if (known) return known.message
    const message = await comparisons.message(bytes, key)
    held.set(id!, { message }, { size: sizeOf(message) + 100 })
    return message
  }
  let size = 0
  const isSpared = (members: readonly string[] | 'any') => members !== 'any' && !members.some(name => names.has(name))
  const rows: { commit: LoggedCommit; text: Promise<CommitText>; message: NonNullable<Revision['message']> }[] = []
  const begin = ({ commit, file }: Step) => {
    const members = commit.ours && file ? comparisons.knownMembers(file) : 'any'
    return { members, bytes: file && !(members && isSpared(members)) ? blobs.both(file) : undefined }
  }
  const walk = await readSteps(source, options, begin, {
    full: () => rows.length === options.limit || size > MESSAGES_BYTES,
    mayEnd: () => true,
    take: async ({ commit, file }, { members, bytes }) => {
      if (file === undefined || bytes === undefined) return
      const { before, after } = await bytes
      if (members === undefined && before && after && isSpared(comparisons.members(file, { before, after }))) return
      const message = {
        language: file.language,
        before: await messageIn(file.before, before),
        after: await messageIn(file.after, after),
      }
      if (sameMessage(message.before, message.after)) return
      size += sizeOf(message.before) + sizeOf(message.after)
      rows.push({ commit, text: textOf(objects, commit), message })
    },
  })
  const revisions = rows.map(async ({ commit, text, message }) => ({
    revision: commit.id,
    ...(await text),
    changes: {
      added: Number(message.before === null),
      updated: Number(message.before !== null && message.after !== null),
      removed: Number(message.after === null),
    },
    message,
  }))
  return { ...walk, revisions: await Promise.all(revisions) }
}

interface Steps<B> {
  /** Whether the page is full and ends before this step. */
  full: (step: Step) => boolean
  /** Whether a page that took too long may end before this step. */
  mayEnd: (step: Step) => boolean
  take: (step: Step, begun: B) => Promise<void>
}

/** Takes steps until the page is full or its time is over; the next page goes on from there. */
async function readSteps<B>(
  { commits, objects }: PageSource,
  { cursor, until }: PageOptions,
  begin: (step: Step) => B,
  { full, mayEnd, take }: Steps<B>,
): Promise<Omit<Page, 'revisions'>> {
  const ahead = () => {
    const { count, largest } = objects.seen
    return Math.max(1, Math.min(MOST_AHEAD, count + 2, Math.floor(AHEAD_BYTES / Math.max(1, largest))))
  }
  const pause = slices()
  let steps = 0
  for await (const [step, begun] of readAhead(stepsOf(commits, cursor), begin, ahead)) {
    const now = performance.now()
    if (full(step) || (steps > 0 && now > until && mayEnd(step))) return { next: cursorAt(step), touched: true }
    await pause()
    await take(step, begun)
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

/**
 * Each thing with its begun work, in order; at most `depth()` wait. The source is asked again when half of them are
 * given, so that work begins in bulk.
 */
export async function* readAhead<T, B>(
  source: AsyncIterable<T>,
  begin: (thing: T) => B,
  depth: () => number,
): AsyncGenerator<[T, B]> {
  const begun: [T, B][] = []
  for await (const thing of source) {
    begun.push([thing, begin(thing)])
    const most = depth()
    if (begun.length >= most) while (begun.length > most / 2) yield begun.shift()!
  }
  yield* begun
}

const cursorAt = ({ commit, file, first }: Step): Cursor => ({
  revision: commit.id,
  language: first ? undefined : file?.language,
})

const foreignCursor = () => new Failure('invalid', 'The cursor is of no page of this history: give the `next` of one.')

/** File contents, each asked for once though two neighbouring versions share it. */
class Blobs {
  readonly #objects: CatFile
  readonly #recent = byteCache<Buffer>(AHEAD_BYTES)
  readonly #asked = new Map<string, Promise<Buffer | null>>()

  constructor(objects: CatFile) {
    this.#objects = objects
  }

  both({ before, after }: ChangedFile): Promise<Contents> {
    const versions = Promise.all([this.#read(before), this.#read(after)])
    const bytes = versions.then(([before, after]) => ({ before, after }))
    // Asked for past a page's end, nobody may await it.
    bytes.catch(() => {})
    return bytes
  }

  async #read(id: string | null): Promise<Buffer | null> {
    if (id === null) return null
    const recent = this.#recent.get(id)
    if (recent) return recent
    let asked = this.#asked.get(id)
    if (asked === undefined) this.#asked.set(id, (asked = this.#ask(id)))
    return asked
  }

  async #ask(id: string): Promise<Buffer | null> {
    const object = await this.#objects.read(id)
    this.#asked.delete(id)
    if (object?.type !== 'blob') return null
    this.#recent.set(id, object.bytes, { size: object.bytes.length + 1 })
    return object.bytes
  }
}

const sizeOf = (message: Message | null) => 2 * JSON.stringify(message).length

function textOf(objects: CatFile, { id }: LoggedCommit): Promise<CommitText> {
  const text = objects.read(id).then(object => readCommitText(object?.bytes ?? Buffer.alloc(0)))
  text.catch(() => {})
  return text
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
