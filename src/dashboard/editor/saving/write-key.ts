/** Writes of the editor. They never overwrite a change of another user. */
import type { Message } from '../../../bundle/message.ts'
import { ApiProblem, answer, response } from '../../api/answer.ts'
import { confirmKeys, deleteKey, getBundle, getHistory, getKey, putKey, revertRevision } from '../../api/client.ts'
import { same, writesFor } from '../model/leaves.ts'
import type { KeyAddress } from '../model/rows.ts'

/**
 * The result of a write: the key's message now, or a conflict with another user's change since `before`. `suggested`:
 * the language has a review, and what was sent became a suggestion, the first text or kind of plural alone.
 */
type WriteResult =
  | { is: 'saved'; message: Message | undefined }
  | { is: 'suggested' }
  | { is: 'conflict'; theirs: Message | undefined }

/** Maximum attempts of a write while its bundle changes. */
const ATTEMPTS = 20

/**
 * By bundle, an entity tag that is not newer than the cached texts, so a write with it overwrites no unseen change.
 * Own writes renew it.
 */
const tags = new Map<string, string>()

/** Repeats a write while other writes overtake its precondition. @param act is given the attempt, from 1 */
export async function retried<T>(attempts: number, act: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act(attempt)
    } catch (error) {
      if (!isProblem(error, 412) || attempt === attempts) throw error
    }
  }
}

export const bundleOf = ({ slug, language, namespace }: KeyAddress) => `${slug}/${language}/${namespace}`

/**
 * Sees to it that writes need not look first. @param readAnew the texts of the language: they are newer than the tag
 */
export async function prepare(place: KeyAddress, readAnew: () => Promise<unknown>): Promise<void> {
  if (tags.has(bundleOf(place))) return
  const tag = await tagOf(place)
  await readAnew()
  tags.set(bundleOf(place), tag)
}

/** Receives the entity tag of an own write, which live events carry too. */
type Note = (etag: string | null | undefined) => void

/**
 * Sets a key to `after` if it still holds `before`. Other keys of the bundle may change meanwhile.
 * @throws Problem what the server refuses
 */
export async function write(
  place: KeyAddress,
  before: Message | undefined,
  after: Message | undefined,
  note: Note,
): Promise<WriteResult> {
  let now = before
  if (after === undefined) {
    return guarded(place, now, note, async tag => {
      const { headers } = await response(deleteKey({ ...names(place), key: place.key, ...stillHas(tag) }))
      return { etag: headers.get('etag'), message: undefined }
    })
  }
  for (const { name, value } of writesFor(place.key, before, after)) {
    const written = await guarded(place, now, note, async tag => {
      const newValue = { value: value as string | Record<string, string> }
      const { data, headers } = await response(putKey({ ...names(place), key: name, ...stillHas(tag), newValue }))
      return 'message' in data ? { etag: headers.get('etag'), message: data.message as Message } : undefined
    })
    if (written.is !== 'saved') return written
    now = written.message
  }
  return { is: 'saved', message: now }
}

interface SeenKey {
  place: KeyAddress
  message: Message | undefined
}

/** Confirms a stale text. @param expected the entity tags of the bundles that were seen */
export const confirmText = ({ slug, language, namespace, key }: KeyAddress, expected: Record<string, string>) =>
  answer(confirmKeys({ slug, body: { language, namespace, keys: [key], expected } }))

/**
 * Sends a request about a text, if the keys are still as they were seen.
 * @param send is given the entity tags of their bundles, by `<language>/<namespace>`
 */
export async function whileSeen<T>(
  seen: readonly SeenKey[],
  send: (expected: Record<string, string>) => Promise<T>,
): Promise<{ is: 'done'; answered: T } | { is: 'conflict'; theirs: SeenKey[] }> {
  return retried(ATTEMPTS, async () => {
    const now = await Promise.all(seen.map(async ({ place }) => ({ place, ...(await look(place)) })))
    if (now.some(({ message }, at) => !same(message, seen[at]!.message))) return { is: 'conflict', theirs: now }
    const tags = now.filter(({ tag }) => tag !== NONE)
    const expected = Object.fromEntries(tags.map(({ place, tag }) => [`${place.language}/${place.namespace}`, tag]))
    return { is: 'done', answered: await send(expected) }
  })
}

export const newest = async (place: KeyAddress): Promise<Message | undefined> => (await look(place)).message

/** @param revision the commit of {@link confirmText} @returns whether its text is stale again */
export async function unconfirm(slug: string, revision: string): Promise<boolean> {
  const { stale } = await answer(revertRevision({ slug, body: { revision } }))
  return stale !== undefined && stale.added > 0
}

/**
 * Undoes the last commits that changed a key, if they are the caller's own: a text that was stale is so again.
 * @param own what the key held before and after them
 * @returns whether everything was undone; undefined where the server has no history
 */
export async function undoWrites(
  place: KeyAddress,
  own: { before: Message | undefined; after: Message | undefined },
  commits: number,
): Promise<boolean | undefined> {
  const { slug, key } = place
  try {
    const { revisions } = await answer(getHistory({ ...names(place), key, limit: commits }))
    const [last, first] = [revisions[0], revisions.at(-1)]
    if (!same(last?.after ?? undefined, own.after) || !same(first?.before ?? undefined, own.before)) return false
    const undone = await answer(revertRevision({ slug, body: { revisions: revisions.map(one => one.revision) } }))
    tags.delete(bundleOf(place))
    return undone.skipped.length === 0
  } catch (error) {
    if (isProblem(error, 501)) return undefined
    throw error
  }
}

const names = ({ slug, language, namespace }: KeyAddress) => ({ slug, language, $namespace: namespace })

/**
 * Writes while the key holds `now`. A changed bundle says nothing about this key, so the key is read again.
 * @param once returns undefined where the message became a suggestion
 */
async function guarded(
  place: KeyAddress,
  now: Message | undefined,
  note: Note,
  once: (tag: string) => Promise<{ etag: string | null; message: Message | undefined } | undefined>,
): Promise<WriteResult> {
  const bundle = bundleOf(place)
  return retried(ATTEMPTS, async attempt => {
    if (attempt > 1) tags.delete(bundle)
    const known = tags.get(bundle)
    const seen = known === undefined ? await look(place) : { tag: known, message: now }
    if (!same(seen.message, now)) return { is: 'conflict', theirs: seen.message }
    const done = await once(seen.tag)
    if (!done) return { is: 'suggested' }
    if (known !== undefined && done.etag) tags.set(bundle, done.etag)
    note(done.etag)
    return { is: 'saved', message: done.message }
  })
}

const isProblem = (error: unknown, status: number) => error instanceof ApiProblem && error.status === status

/**
 * A key with a tag of its bundle that is not newer than the key, so a write with that tag overwrites no unseen change.
 * @param tag of the bundle, read before a look that found no key: a missing key has none
 */
async function look(place: KeyAddress, tag?: string): Promise<{ tag: string; message: Message | undefined }> {
  try {
    const { data, headers } = await response(getKey({ ...names(place), key: place.key }))
    // The answer's type knows no order of forms; the server's messages have it.
    return { tag: headers.get('etag')!, message: data.message as Message }
  } catch (error) {
    if (!isProblem(error, 404)) throw error
    return tag === undefined ? look(place, await tagOf(place)) : { tag, message: undefined }
  }
}

/** In the place of a tag: there is no bundle. */
const NONE = 'none'

/** Of a bundle. A missing bundle has the tag of an empty one, and in a missing language {@link NONE}. */
async function tagOf(place: KeyAddress): Promise<string> {
  try {
    return (await response(getBundle(names(place), { method: 'HEAD' }))).headers.get('etag')!
  } catch (error) {
    if (isProblem(error, 404)) return NONE
    throw error
  }
}

/** The precondition that a bundle still has a tag. */
const stillHas = (tag: string) => (tag === NONE ? { ifNoneMatch: '*' } : { ifMatch: tag })
