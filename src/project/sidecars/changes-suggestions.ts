/** Finds out whether a change concerns the suggestions of others, by bytes alone, for the worker. */
import { isBy } from '../../bundle/suggestion.ts'
import { concernsOthers } from './concerns-others.ts'
import { suggestionsIn } from './suggestions-file.ts'

/** A file of suggestions in a change, and the texts that it belongs to. Null for a missing file. */
export interface ChangesSuggestionsTask {
  before: Uint8Array | null
  after: Uint8Array | null
  texts: Record<'before' | 'after', Record<'source' | 'target', Uint8Array | null>>
  /** The id of the author of the change. */
  by: string
}

export function changesSuggestions({ before, after, texts, by }: ChangesSuggestionsTask): boolean {
  const [was, is] = [before, after].map(bytes => {
    const all = [...suggestionsIn(bytes)].flatMap(([key, list]) => list.map(suggestion => ({ key, suggestion })))
    return new Map(
      all.map(({ key, suggestion }) => [
        suggestion.id,
        { key, isOwn: isBy(suggestion, by), content: JSON.stringify(suggestion) },
      ]),
    )
  })
  const versions = (part: 'source' | 'target') => ({ before: texts.before[part], after: texts.after[part] })
  return concernsOthers(was!, is!, [versions('source'), versions('target')])
}
