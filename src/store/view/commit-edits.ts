/** Commits what people changed in the work tree, once it is judged: each file as a commit of its own, through the queue of all writes. */
import { placeOf } from '../../bundle/project.ts'
import type { Use } from '../write/batch.ts'
import type { Author } from '../write/commit.ts'
import { type Change, overtaken } from './judge.ts'

/** Who it is in the history: nobody knows which person edited a file. */
const OUTSIDE: Author = { name: 'Outside edit', email: 'outside@parlance.invalid' }
/** How many are queued at once, so that they leave room for requests. */
const AT_ONCE = 500

/** What it needs of a repository. */
interface Target {
  write(author: Author, use: Use<undefined>): Promise<unknown>
  /** The content of a blob, by its id. */
  blob(id: string): Buffer
}

/** Commits the changes; resolves when all are durable. @throws Failure as the writes do */
export async function commitEdits(changes: Change[], target: Target): Promise<void> {
  for (let at = 0; at < changes.length; at += AT_ONCE) {
    await Promise.all(changes.slice(at, at + AT_ONCE).map(change => commit(change, target)))
  }
}

/** A write may have come between the judging of an edit and this commit: then both are kept. */
function commit(change: Change, target: Target): Promise<unknown> {
  const { path, over } = change
  return target.write(OUTSIDE, transaction => {
    const current = (transaction.entry(path)?.id ?? null) === over
    const base = over === null ? undefined : target.blob(over)
    const bytes = current ? change.bytes : overtaken(change, base, transaction)
    if (bytes === null) transaction.remove(path)
    else transaction.put(path, bytes)
    return { result: undefined, message: { subject: `outside edit of ${path}`, trailers: trailersOf(path) } }
  })
}

/** What a commit says of the file it is about, as the commits of requests do. */
function trailersOf(path: string): [string, string][] {
  const place = placeOf(path)
  if (!place) return []
  const project: [string, string] = ['Parlance-Project', place.slug]
  if (place.kind === 'project') return [project]
  return [project, ['Parlance-Language', place.language], ['Parlance-Namespace', place.namespace]]
}
