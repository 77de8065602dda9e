/** An item in one English sentence, for feed readers. The dashboard has sentences of its own. */
import type { InboxItem, ItemKind } from './inbox-items.ts'

const SENTENCES: Record<ItemKind, (by: string, what: string) => string> = {
  mention: (by, what) => `${by} mentioned you: ${what}`,
  reply: (by, what) => `${by} replied: ${what}`,
  suggestion: (by, what) => `${by} suggests a text: ${what}`,
  accepted: (by, what) => `${by} accepted your suggestion: ${what}`,
  rejected: (by, what) => `${by} rejected your suggestion: ${what}`,
  stale: (by, what) => `${by} changed the source: ${what}`,
}

export function itemTitle({ kind, by, project, namespace, key, keys = 1, language }: InboxItem): string {
  const place = [project, ...(language === undefined ? [] : [language]), namespace].join('/')
  const others = keys > 1 ? ` and ${keys - 1} more` : ''
  return SENTENCES[kind](by.name || 'Someone', `${key}${others} (${place})`)
}
