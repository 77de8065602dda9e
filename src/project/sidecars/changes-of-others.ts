/** Finds out whether an undo concerns the comments or suggestions of others, by bytes alone, for the worker. */
import { bundleIn } from '../../bundle/canonical.ts'
import { isBy } from '../../bundle/suggestion.ts'
import type { TextFiles } from './changes-approvals.ts'
import { commentsIn } from './comments-file.ts'
import { suggestionsIn } from './suggestions-file.ts'

/** A file in a change, and the texts that it belongs to. Null for a missing file. */
export interface ChangesOfOthersTask {
  sidecar: 'comments' | 'suggestions'
  before: Uint8Array | null
  after: Uint8Array | null
  texts: { before: TextFiles; after: TextFiles }
  /** The id of the author of the change. */
  by: string
}

/** Items may move with their keys, and go and return with them. */
export function changesOfOthers({ sidecar, before, after, texts, by }: ChangesOfOthersTask): boolean {
  const [was, is] = [before, after].map(bytes => new Map(READERS[sidecar](bytes, by).map(item => [item.id, item])))
  const ids = [...new Set([...was!.keys(), ...is!.keys()])]
  const changed = ids.filter(id => was!.get(id)?.content !== is!.get(id)?.content)
  const others = changed.map(id => (was!.get(id) ?? is!.get(id))!).filter(({ isOwn }) => !isOwn)
  if (others.length === 0) return false
  const bundles = (['source', 'target'] as const).map(
    part => [bundleIn(texts.before[part]), bundleIn(texts.after[part])] as const,
  )
  return others.some(({ key }) =>
    bundles.every(([then, now]) => (then.message(key) === undefined) === (now.message(key) === undefined)),
  )
}

/** What a person wrote for a key. Another content is a change. */
interface OwnedItem {
  id: string
  key: string
  isOwn: boolean
  content: string
}

const READERS: Record<ChangesOfOthersTask['sidecar'], (bytes: Uint8Array | null, by: string) => OwnedItem[]> = {
  // Every member resolves comments: their texts count.
  comments: (bytes, author) =>
    [...commentsIn(bytes)].flatMap(([key, list]) =>
      list.map(({ id, by, text }) => ({ id, key, isOwn: by.id === author, content: text })),
    ),
  suggestions: (bytes, author) =>
    [...suggestionsIn(bytes)].flatMap(([key, list]) =>
      list.map(one => ({ id: one.id, key, isOwn: isBy(one, author), content: JSON.stringify(one) })),
    ),
}
