/** The items of one member, selected from the news of commits. */
import { type LanguageRights, levelOn, namesLanguage } from '../auth/rights.ts'
import type { CommitNews, NewsAuthor, NewsRow } from './commit-news.ts'

/** Kinds of items. */
export const ITEM_KINDS = ['mention', 'reply', 'suggestion', 'accepted', 'rejected', 'stale'] as const
/** One of {@link ITEM_KINDS}. */
export type ItemKind = (typeof ITEM_KINDS)[number]

/** One item of an inbox. */
export interface InboxItem {
  /** `<commit>-<n>`: the number of the row in the news of its commit. */
  id: string
  kind: ItemKind
  project: string
  namespace: string
  /** The first one of several. */
  key: string
  /** The number of keys, where it is more than one. */
  keys?: number
  language?: string
  by: NewsAuthor
  /** The time of the commit, in ISO 8601. */
  date: string
  /** The text of a comment, or the reason of a rejection. */
  text?: string
}

/** The owner of an inbox. */
export interface InboxMember {
  id: string
  email: string
  rights?: LanguageRights | undefined
  /** Whether a text mentions the member. */
  isMentionedIn(text: string): boolean
}

/** The kind of item that a row is to a member; undefined for a row of another member's. */
export function itemKind(
  { kind, file, language, entries, by, of }: NewsRow,
  { email }: Pick<CommitNews, 'email'>,
  member: InboxMember,
): ItemKind | undefined {
  const { id, rights } = member
  const isOwn = email.toLowerCase() === member.email.toLowerCase()
  const target = { project: file.project, ...(language !== undefined && { language }) }
  switch (kind) {
    case 'comment': {
      const { text = '', was, thread = [] } = entries[0]!
      if (by.id === id) return undefined
      if (member.isMentionedIn(text)) return was !== undefined && member.isMentionedIn(was) ? undefined : 'mention'
      return was === undefined && thread.includes(id) ? 'reply' : undefined
    }
    case 'suggestion':
      return by.id !== id && levelOn(rights, target) === 'review' ? 'suggestion' : undefined
    case 'accepted':
    case 'rejected':
      return of === id && !isOwn ? kind : undefined
    case 'stale':
      return !isOwn && isNamed(rights, target) ? 'stale' : undefined
  }
}

/** Whether rights to write name the language itself: without such rights a member looks after no language. */
function isNamed(rights: LanguageRights | undefined, { project, language }: { project: string; language?: string }) {
  return (rights ?? []).some(
    ({ projects, languages, may }) =>
      may !== 'read' &&
      language !== undefined &&
      namesLanguage(languages, language) &&
      (projects === undefined || projects.includes(project)),
  )
}
