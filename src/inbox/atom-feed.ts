/** The Atom 1.0 feed of an inbox (RFC 4287), with a limited number of items and no e-mail address. */
import { createHash } from 'node:crypto'
import type { InboxItem, ItemKind } from './inbox-items.ts'

/** The feed around the items. */
export interface FeedParts {
  /** The id of the membership: the id of the feed is derived from it and stays the same. */
  membership: string
  organization: string
  /** The secret of the feed. */
  key: string
  /** The address of the server, absolute or relative, without a trailing slash. */
  base: string
  /** When the membership began, in milliseconds: the time of a feed without items. */
  since: number
  /** By project; undefined when it is gone. */
  sourceLanguages: ReadonlyMap<string, string | undefined>
}

/** The media type of a feed. */
export const ATOM_TYPE = 'application/atom+xml; charset=utf-8'

/** Renders a feed. Equal items give equal bytes. */
export function atomFeed(items: readonly InboxItem[], parts: FeedParts): Buffer {
  const { membership, organization, key, base, since, sourceLanguages } = parts
  const self = `${base}/api/inbox.atom?key=${encodeURIComponent(key)}`
  const updated = items[0]?.date ?? new Date(since).toISOString()
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
    `  <id>${uuidOf(membership)}</id>`,
    `  <title>${escaped(`Parlance: ${organization}`)}</title>`,
    `  <updated>${updated}</updated>`,
    '  <author><name>Parlance</name></author>',
    `  <link rel="self" type="application/atom+xml" href="${escaped(self)}"/>`,
    `  <link rel="alternate" type="text/html" href="${escaped(`${base}/`)}"/>`,
    ...items.flatMap(item => entryOf(item, membership, itemLink(base, item, sourceLanguages.get(item.project)))),
    '</feed>',
  ]
  return Buffer.from(`${lines.join('\n')}\n`)
}

function entryOf(item: InboxItem, membership: string, link: string): string[] {
  return [
    '  <entry>',
    `    <id>${uuidOf(`${membership} ${item.id}`)}</id>`,
    `    <title>${escaped(itemTitle(item))}</title>`,
    `    <updated>${item.date}</updated>`,
    `    <author><name>${escaped(item.by.name) || 'Parlance'}</name></author>`,
    `    <category term="${item.kind}"/>`,
    `    <link rel="alternate" type="text/html" href="${escaped(link)}"/>`,
    `    <content type="text">${escaped(item.text ?? itemTitle(item))}</content>`,
    '  </entry>',
  ]
}

/** The address of an item's key in the dashboard. @param otherwise the language for an item without one */
function itemLink(
  base: string,
  { project, language, namespace, key }: InboxItem,
  otherwise: string | undefined,
): string {
  const shown = language ?? otherwise
  const path = [project, ...(shown === undefined ? [] : [shown, namespace])].map(encodeURIComponent).join('/')
  const query = shown === undefined ? '' : `?key=${encodeURIComponent(key)}`
  return `${base}/#/projects/${path}${query}`
}

const SENTENCES: Record<ItemKind, (by: string, what: string) => string> = {
  mention: (by, what) => `${by} mentioned you: ${what}`,
  reply: (by, what) => `${by} replied: ${what}`,
  suggestion: (by, what) => `${by} suggests a text: ${what}`,
  accepted: (by, what) => `${by} accepted your suggestion: ${what}`,
  rejected: (by, what) => `${by} rejected your suggestion: ${what}`,
  stale: (by, what) => `${by} changed the source: ${what}`,
}

/** An item in one English sentence. The dashboard has sentences of its own. */
function itemTitle({ kind, by, project, namespace, key, keys = 1, language }: InboxItem): string {
  const place = [project, ...(language === undefined ? [] : [language]), namespace].join('/')
  const others = keys > 1 ? ` and ${keys - 1} more` : ''
  return SENTENCES[kind](by.name || 'Someone', `${key}${others} (${place})`)
}

/** A stable UUID of a name, by its SHA-256 (RFC 9562, version 8). */
function uuidOf(name: string): string {
  const digits = createHash('sha256').update(name).digest('hex')
  const variant = ((Number.parseInt(digits[16]!, 16) & 3) | 8).toString(16)
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, variant + digits.slice(17, 20)]
  return `urn:uuid:${parts.join('-')}-${digits.slice(20, 32)}`
}

const SIGNS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Characters that XML 1.0 cannot hold. */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const escaped = (text: string): string => text.replace(NO_XML, '\ufffd').replace(/[&<>"]/g, sign => SIGNS[sign]!)
