/** The daily mail of an inbox: numbers and links. Texts, keys and names of others stay on the server. */
import { shortName } from '../mail/invitation-mail.ts'
import type { Mail } from '../mail/mailer.ts'
import type { InboxItem, ItemKind } from './inbox-items.ts'

const WORDS: Record<ItemKind, readonly [one: string, many: string]> = {
  mention: ['mention', 'mentions'],
  reply: ['reply', 'replies'],
  suggestion: ['suggestion to review', 'suggestions to review'],
  accepted: ['accepted suggestion', 'accepted suggestions'],
  rejected: ['rejected suggestion', 'rejected suggestions'],
  stale: ['text with a changed source', 'texts with a changed source'],
}

/** What a digest is about. */
interface DigestParts {
  to: string
  /** The name of the organization. */
  organization: string
  items: readonly InboxItem[]
  /** Whether there are more items. */
  more: boolean
  /** The address of the server, without a trailing slash. */
  baseUrl: string
}

export function digestMail({ to, organization, items, more, baseUrl }: DigestParts): Mail {
  const projects = [...new Set(items.map(({ project }) => project))]
  const count = (number: number) => `${number}${more ? ' or more' : ''}`
  const total = items.reduce((sum, { keys = 1 }) => sum + keys, 0)
  const name = shortName(organization)
  const parts = projects.map(project => {
    const counts = countsOf(items.filter(item => item.project === project))
    return [project, ...counts.map(line => `  ${line}`), `  ${baseUrl}/#/projects/${encodeURIComponent(project)}`]
  })
  return {
    to,
    subject: `Parlance: ${count(total)} new in ${name}`,
    text: [
      `New for you in ${name}:`,
      ...parts.map(lines => lines.join('\n')),
      `All of it: ${baseUrl}/#/work`,
      `You get at most one such mail a day. Switch it off in your inbox: ${baseUrl}/`,
    ].join('\n\n'),
  }
}

function countsOf(items: readonly InboxItem[]): string[] {
  const numbers = new Map<ItemKind, number>()
  for (const { kind, keys = 1 } of items) numbers.set(kind, (numbers.get(kind) ?? 0) + keys)
  return [...numbers].map(([kind, number]) => `${number} ${WORDS[kind][number === 1 ? 0 : 1]}`)
}
