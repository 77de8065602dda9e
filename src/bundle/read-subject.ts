/** Reads the text of a commit's subject back. */
import type { CommitAction, CommitSubject } from './commit-subject.ts'

/** Subjects without a scope. */
const ABOUT_PROJECT = /^(create|delete|change) project ([\w.-]+)(?:: (.*))?$/s
const EXTERNAL_EDIT = /^external edit of (.+)$/s
/** The language, the namespace or both, then the action. Names hold no colon and no space. */
const SCOPED = /^(?: ([^:/ ]+)(?:\/([^:/ ]+))?)?: (.+)$/s

const ORGANIZATION_GLOSSARY = /^change the organization's glossary: (.+) terms?$/

/** Messages that older dashboards wrote. */
const IMPORT = /^Import (\d+) bundles?$/
const REPLACE = /^Replace “(.*)” by “(.*)” in (\d+) texts?$/s

/** A JSON string as `subjectText` writes it. */
const QUOTED = String.raw`("(?:[^"\\]|\\["\\]|\\u[0-9a-f]{4})*")`

/** What follows a scope. The first that fits is used: `delete the bundle` before the key of that name. */
const ACTIONS: [RegExp, (found: readonly (string | undefined)[]) => CommitAction | undefined][] = [
  [/^delete the (bundle|language|namespace)$/, ([, what]) => ({ kind: `delete-${what as 'bundle'}` })],
  [/^rename the (language|namespace) to (\S+)$/, ([, what, to]) => ({ kind: `rename-${what as 'language'}`, to: to! })],
  [/^confirm (\d+) keys$/, ([, count]) => ({ kind: 'confirm-keys', count: Number(count) })],
  [
    /^(dismiss|reopen) the ([a-z]+) problem of (.+)$/s,
    ([, kind, check, key]) => ({ kind: kind as 'dismiss', key: key!, check: check! }),
  ],
  [/^((?:(?:add|update|remove) \d+(?:, )?)+) keys?(?: in (\d+) bundles)?$/, readPush],
  [
    /^change the glossary: ((?:(?:add|update|remove) \d+(?:, )?)+) terms?$/,
    ([, counts]) => readTerms('glossary', counts),
  ],
  [/^(\d+) notes? from the code$/, ([, count]) => ({ kind: 'code-notes', count: Number(count) })],
  [/^(remove the )?note on (.+)$/s, ([, removed, key]) => ({ kind: removed ? 'remove-note' : 'note', key: key! })],
  [
    /^(?:(edit|resolve|reopen|remove) a )?comment on (.+)$/s,
    ([, verb, key]) => ({ kind: verb === undefined ? 'comment' : `${verb as 'edit'}-comment`, key: key! }),
  ],
  [/^suggest (\d+) texts?$/, ([, count]) => ({ kind: 'suggest-texts', count: Number(count) })],
  [
    /^(accept|reject) (\d+) suggestions?$/,
    ([, kind, count]) => ({ kind: `${kind as 'accept'}-texts`, count: Number(count) }),
  ],
  [/^(accept|reject) a suggestion for (.+)$/s, ([, kind, key]) => ({ kind: kind as 'accept', key: key! })],
  [/^suggest (.+)$/s, ([, key]) => ({ kind: 'suggest', key: key! })],
  [/^undo (\d+) commits$/, ([, count]) => ({ kind: 'undo-commits', count: Number(count) })],
  [/^import (\d+) bundles?$/, ([, bundles]) => ({ kind: 'import', bundles: Number(bundles) })],
  [
    new RegExp(`^replace ${QUOTED} by ${QUOTED} in (\\d+) texts?$`),
    ([, find, by, count]) => ({
      ...{ kind: 'replace', find: JSON.parse(find!), by: JSON.parse(by!), count: Number(count) },
    }),
  ],
  [
    /^restore (?:(.+) )?to (?:([0-9a-f]{7})|the beginning)$/s,
    ([, key, revision]) => ({ kind: 'restore', key, revision: revision ?? null }),
  ],
  [/^(undo|redo) (.+)$/s, ([, kind, what]) => ({ kind: kind as 'undo', what: what! })],
  [/^rename (.+) to (.+)$/s, readRename],
  [/^(add|update|remove|delete|confirm) (.+)$/s, ([, kind, key]) => ({ kind: kind as 'add', key: key! })],
]

/** Actions that need a namespace: without one, a message such as `web: add tests` is a person's own. */
const OF_NAMESPACE = new Set<CommitAction['kind']>([
  ...(['add', 'update', 'remove', 'delete', 'confirm', 'confirm-keys', 'note', 'remove-note'] as const),
  ...(['dismiss', 'reopen', 'suggest', 'accept', 'reject'] as const),
  ...(['comment', 'edit-comment', 'resolve-comment', 'reopen-comment', 'remove-comment'] as const),
])
/** Actions on the part that the scope names. */
const OF_PART = /^(?:delete|rename)-/

/**
 * The subject as data; undefined for a message of a person's own.
 * @param slug of the project that the history belongs to
 */
export function readSubject(text: string, slug: string): CommitSubject | undefined {
  const [, verb, named, changes] = ABOUT_PROJECT.exec(text) ?? []
  if (named === slug && verb === 'change' && changes !== undefined) return { slug, ...readChanges(changes) }
  if (named === slug && verb !== 'change' && changes === undefined) return { slug, kind: `${verb as 'create'}-project` }
  const [, path] = EXTERNAL_EDIT.exec(text) ?? []
  if (path !== undefined) return { slug, kind: 'external-edit', path }
  const [, counts] = ORGANIZATION_GLOSSARY.exec(text) ?? []
  if (counts !== undefined) return { slug, ...readTerms('organization-glossary', counts) }
  const [, bundles] = IMPORT.exec(text) ?? []
  if (bundles !== undefined) return { slug, kind: 'import', bundles: Number(bundles) }
  const [, find, by, count] = REPLACE.exec(text) ?? []
  // With the words between the two sides in one of them, the end of the first is unknown.
  if (find !== undefined && by !== undefined && !`${find}${by}`.includes('” by “'))
    return { slug, kind: 'replace', find, by, count: Number(count) }
  const [, first, second, words] = (text.startsWith(slug) && SCOPED.exec(text.slice(slug.length))) || []
  if (words === undefined) return undefined
  const action = readAction(words)
  if (action === undefined) return undefined
  if (first === undefined && (OF_NAMESPACE.has(action.kind) || OF_PART.test(action.kind))) return undefined
  if (second !== undefined) return { slug, language: first, namespace: second, ...action }
  if (first === undefined) return { slug, ...action }
  // A name alone is that of a namespace, except where the action says otherwise.
  const isLanguage = action.kind === 'delete-language' || action.kind === 'rename-language'
  return { slug, [isLanguage ? 'language' : 'namespace']: first, ...action }
}

function readAction(words: string): CommitAction | undefined {
  for (const [pattern, read] of ACTIONS) {
    const found = pattern.exec(words)
    if (found) return read(found)
  }
  return undefined
}

function readPush([, counts, bundles]: readonly (string | undefined)[]): CommitAction {
  return { kind: 'push', ...readCounts(counts), ...(bundles !== undefined && { bundles: Number(bundles) }) }
}

function readTerms(kind: 'glossary' | 'organization-glossary', counts: string | undefined): CommitAction {
  return { kind, ...readCounts(counts) }
}

function readCounts(text = ''): { added: number; updated: number; removed: number } {
  const count = (verb: string) => Number(new RegExp(`${verb} (\\d+)`).exec(text)?.[1] ?? 0)
  return { added: count('add'), updated: count('update'), removed: count('remove') }
}

/** Undefined if one of the keys contains ` to `: it is unknown where the first one ends. */
function readRename([, key = '', to = '']: readonly (string | undefined)[]): CommitAction | undefined {
  return key.includes(' to ') || to.includes(' to ') ? undefined : { kind: 'rename', key, to }
}

function readChanges(text: string): Extract<CommitAction, { kind: 'change-project' }> {
  const changes = text.split(', ')
  const format = changes.find(change => change.startsWith('format '))?.slice('format '.length)
  const has = (what: string) => changes.includes(`new ${what}`)
  return {
    ...{ kind: 'change-project', name: has('name'), format },
    ...{ interpolation: has('interpolation'), checks: has('checks'), review: has('review') },
  }
}
