/** The shapes of the server's answers. Names in them become paths of files and words to type. */
import type { Message } from '../../bundle/message.ts'
import { checkFormat, checkLanguage, checkNamespace, type Format, MAX_SEGMENTS } from '../../bundle/names.ts'
import {
  anything,
  checked,
  count,
  flag,
  listOf,
  nullable,
  type Of,
  object,
  oneOf,
  optional,
  recordOf,
  type Shape,
  shape,
  text,
} from './shape.ts'

const language = checked('a language tag', checkLanguage)
const namespace = checked('the name of a namespace', checkNamespace)
/** Printed as a word to type. */
export const revision = checked('the id of a revision', id => (/^[0-9a-f]{40}$/.test(id as string) ? id : undefined))
const next = optional(nullable(text))

const forms = optional(recordOf(text))
const parts = object({ text: optional(text), cardinal: forms, ordinal: forms })
const message: Shape<Message> = (value, at) => (typeof value === 'string' ? undefined : parts(value, at))

const change = { language, namespace, key: text, before: nullable(message), after: nullable(message) }
const changes = listOf(object(change))
const person = object({ name: text, email: text })

/** Maximum levels of objects and arrays. */
const MAX_DEPTH = MAX_SEGMENTS + 2

/** A bundle: texts, in objects or arrays. */
export const resource: Shape<object> = (value, at) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && holdsTexts(value, 1)
    ? undefined
    : `${at === '' ? 'it' : at} must be an object of texts`

function holdsTexts(value: object, depth: number): boolean {
  if (depth > MAX_DEPTH) return false
  for (const one of Object.values(value)) {
    if (typeof one === 'string') continue
    if (typeof one !== 'object' || one === null || !holdsTexts(one, depth + 1)) return false
  }
  return true
}

export const whoami = object({
  organization: object({ id: text, slug: text, name: text }),
  name: text,
  scope: oneOf('read', 'add', 'write'),
  projects: optional(listOf(anything)),
  version: text,
})

export const projects = object({ projects: listOf(object({ slug: text })) })

const format = checked('a format', checkFormat) as Shape<Format>

export const manifest = object({
  sourceLanguage: language,
  languages: listOf(language),
  namespaces: listOf(namespace),
  defaultFormat: format,
  interpolation: optional(object({ prefix: text, suffix: text })),
})

const counts = {
  keys: count,
  translated: count,
  empty: count,
  incomplete: count,
  missing: count,
  stale: count,
  problems: count,
  extra: count,
  approved: count,
  machine: count,
  suggested: count,
}

export const status = object({
  revision,
  sourceLanguage: language,
  languages: listOf(object({ language, ...counts, namespaces: listOf(object({ namespace, ...counts })) })),
})

export const staleKeys = object({
  keys: listOf(object({ namespace, key: text, source: message, sourceThen: message, message })),
  next,
})

const named = object({ id: text, name: text })
/** A user or token, or the name of a machine. */
const author: Shape<string | Of<typeof named>> = (value, at) =>
  typeof value === 'string' ? undefined : named(value, at)

export const suggestions = object({
  suggestions: listOf(
    object({
      ...{ id: text, language, namespace, key: text, message, by: author, at: text },
      ...{ source: nullable(message), present: nullable(message), fits: flag },
      problems: listOf(object({ kind: text })),
    }),
  ),
  next,
})

const keyCounts = { added: count, updated: count, removed: count }

const commit = object({
  revision,
  author: person,
  date: text,
  subject: text,
  changes: nullable(object(keyCounts)),
  // In the history of a key.
  language: optional(language),
  key: optional(text),
  before: optional(nullable(message)),
  after: optional(nullable(message)),
})
export type Commit = Of<typeof commit>

export const history = object({ revisions: listOf(commit), next })

const fields = optional(object({ before: nullable(recordOf(anything)), after: nullable(recordOf(anything)) }))

export const difference = object({ from: nullable(revision), to: nullable(revision), changes, project: fields, next })

export const release = object({ name: text, revision, createdAt: text, createdBy: person })
export const releases = object({ releases: listOf(release) })

export const renamed = object({ languages: listOf(language), revision: optional(nullable(revision)) })

/** Bundles by language and namespace. */
export const bundles = recordOf(recordOf(resource))

export const restored = object({
  revision: nullable(revision),
  restoredBy: optional(nullable(revision)),
  ...keyCounts,
  dryRun: flag,
  changes,
  more: count,
})

export const undone = object({
  revision,
  revisions: optional(listOf(revision)),
  undoneBy: nullable(revision),
  reverted: count,
  // Older servers do not send it.
  stale: optional(object({ added: count, removed: count })),
  skipped: listOf(object({ language, namespace, key: text, reason: text })),
  moreSkipped: optional(count),
  // The fields of the project that the commit changed.
  project: optional(
    object({ before: nullable(recordOf(anything)), after: nullable(recordOf(anything)), reason: optional(text) }),
  ),
  dryRun: flag,
  changes,
  more: count,
})

const detail = object({
  key: text,
  result: oneOf('added', 'updated', 'removed', 'skipped'),
  reason: optional(text),
})

export const pushed = object({
  revision,
  notes: optional(count),
  bundles: listOf(object({ language, namespace, details: optional(listOf(detail)) })),
})

/** The notes of a namespace by key. */
export const notes = object({
  notes: recordOf(
    object({ note: optional(text), refs: optional(listOf(text)), from: optional(oneOf('code', 'person')) }),
  ),
})

export const changeEvent = object({ bundles: listOf(object({ language, namespace })) })

/** Declarations for i18next. A page of another server would become code in a `.ts` file of the app. */
export const types = shape<string>(
  'declarations for i18next',
  value => typeof value === 'string' && /^declare module ['"]i18next['"]/m.test(value),
)
