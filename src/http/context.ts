/** What is known about one key in one language: the answer for a client that opens a key. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { KeyComment } from '../bundle/comment.ts'
import { Failure } from '../bundle/errors.ts'
import { linesOf, type Message, partsOf, peel } from '../bundle/message.ts'
import type { Note } from '../bundle/note.ts'
import { KEY_MARKS } from '../bundle/status.ts'
import type { MemoryMatch } from '../memory/organization-memory.ts'
import { MOST_KEY_TERMS } from '../project/key-terms.ts'
import { missingKey, requireLanguage, requireProject } from '../project/layout.ts'
import type { BundleName, Project } from '../project/project.ts'
import { bundlePlans, type StatusRow } from '../project/status.ts'
import { textRulesIn } from '../project/text-rules.ts'
import type { Snapshot } from '../store/store.ts'
import { sendJson } from './answers/conditional.ts'
import { CommentsShape } from './comments.ts'
import { INCOMPLETE, MemoryShape } from './memory.ts'
import { noteMembers } from './notes.ts'
import type { MemorySearch } from './reading/memory-search.ts'
import { type PinnedState, pinnedStateOf } from './reading/pinned-state.ts'
import { bundleStatus } from './reading/status-keys.ts'
import { termsOf } from './reading/terms-of.ts'
import { requireCaller } from './requests/caller.ts'
import { inTurns } from './requests/client-gone.ts'
import { component, language, like, type OfKey, reading, text } from './requests/shapes.ts'
import { KeyStatusShape } from './status.ts'
import { commentsAt } from './writing/comments-task.ts'
import { notesAt } from './writing/notes-task.ts'

/** Matches of the memory. */
const MOST_MATCHES = 5
/** Milliseconds that the answer waits for the first reading of an organization's memory. */
const PATIENCE_MS = 500
/** Characters of the source that are searched for in the memory. */
const MOST_SEARCHED = 30_000

const words = (...examples: string[]) => like(z.array(z.string()).optional(), examples)
const Term = component('KeyTerm', {
  term: text('The term of the glossary.', 'cart'),
  note: text('What it means.', 'Where a customer collects products.').optional(),
  caseSensitive: like(z.boolean().optional(), false).describe('Whether only this case is the term.'),
  keep: like(z.boolean().optional(), false).describe('Whether the term stays untranslated in every language.'),
  use: words('Warenkorb').describe('The right words in the language, the best one first.'),
  avoid: words('Einkaufswagen').describe('Forbidden words in the language.'),
})
const KeyContext = component('KeyContext', {
  ...KeyStatusShape.shape,
  approved: KeyStatusShape.shape.approved.unwrap().nullable().describe('The approval that holds, null without one.'),
  machine: KeyStatusShape.shape.machine.unwrap().nullable().describe('Null where no machine wrote this text.'),
  language,
  ...noteMembers,
  comments: CommentsShape,
  terms: z
    .array(Term)
    .describe(
      `The terms of both glossaries in the source message, by place: those of the project win. At most ${MOST_KEY_TERMS}.`,
    ),
  memory: MemoryShape.nullable().describe(
    `At most ${MOST_MATCHES} similar texts of all projects that the credential reaches, without this key. Of a plural ` +
      'source, texts similar to its form `other`. Null while the memory is being built, or is busy: `notice` says so.',
  ),
  notice: text('Why a part is missing.', 'The memory is being built.').optional(),
})

/** Adds the route to a scope behind `identify`. */
export function contextRoutes(app: FastifyInstance, memory: MemorySearch): void {
  const inTurn = inTurns('reads of a context')
  const schema = {
    tags: ['Status'],
    operationId: 'getKeyContext',
    summary: 'What is known about a key in a language',
    description:
      'The source, the translation, its status and problems, the note, the comments, the terms of the glossaries, and ' +
      'similar texts: all that a translator sees beside a key, in one request and of one state. The name of a form is ' +
      'that of its key. A key that the language lacks has a `message` of null.',
    ...reading(KeyContext.describe('The key and what is known.'), 'not-found', 'unfit', 'too-large', 'unavailable'),
  }
  const config = { permission: 'read' } as const
  const url = '/api/projects/:slug/context/:language/:namespace/:key'
  app.get<OfKey>(url, { schema, config }, async (request, reply) => {
    const { slug, language, namespace, key: name } = request.params
    const { organization } = requireCaller(request, 'read')
    const asked = { slug, language, namespace, key: peel(name).key }
    const { snapshot, project } = await app.store.read(organization, now => {
      const project = requireProject(now, slug)
      requireLanguage(now, project, language)
      return { snapshot: now, project }
    })
    const pinned = pinnedStateOf(request, snapshot)
    const { row, note, comments, terms } = await inTurn(reply, async left => {
      const row = await statusOf({ project, pinned, left }, asked)
      if (row === undefined) throw missingKey(name, asked)
      const note = await noteOf(pinned, asked, left)
      const comments = await commentsOf(pinned, asked, left)
      const terms = row.source === null ? [] : await termsOf({ project, pinned, left }, language, row.source)
      return { row, note, comments, terms }
    })
    const similar = await similarTexts(reply, memory, { snapshot, project, asked, source: row.source })
    const { key: _, approved = null, machine = null, ...status } = row
    const marks = { approved, machine }
    sendJson(reply, { key: asked.key, namespace, language, ...status, ...marks, ...note, comments, terms, ...similar })
  })
}

/** A key of a language. */
interface AskedKey extends BundleName {
  key: string
}

/** A state to read. */
interface ContextState {
  project: Project
  pinned: PinnedState
  left: AbortSignal
}

/** Undefined for a key that neither the source language nor the language has. */
export async function statusOf(
  state: ContextState,
  { language, namespace, key }: AskedKey,
): Promise<StatusRow | undefined> {
  const { project, pinned } = state
  const { rules, plans } = await pinned.look(now => ({
    rules: textRulesIn(now, project),
    plans: bundlePlans(now, project, language, namespace),
  }))
  const { sourceLanguage } = project
  const wants = { sourceLanguage, rules, language, is: KEY_MARKS, behind: null, only: key, most: 1, bytes: 0 }
  return plans[0] && (await bundleStatus(state, plans[0], wants)).keys[0]
}

const noteOf = (pinned: PinnedState, { slug, namespace, key }: AskedKey, left: AbortSignal): Promise<Note | null> =>
  pinned.compute('note', now => ({ file: notesAt(now, slug, namespace).bytes, key }), { left })

const commentsOf = (
  pinned: PinnedState,
  { slug, namespace, key }: AskedKey,
  left: AbortSignal,
): Promise<KeyComment[]> =>
  pinned.compute('comments', now => ({ file: commentsAt(now, slug, namespace).bytes, key }), { left })

/** What is searched for. */
interface SearchedKey {
  snapshot: Snapshot
  project: Project
  asked: AskedKey
  source: Message | null
}

/** The rest of the answer must not wait, nor fail, while the memory is being built. */
export async function similarTexts(
  reply: FastifyReply,
  memory: MemorySearch,
  { snapshot, project: { sourceLanguage: from }, asked, source }: SearchedKey,
) {
  const { slug, language: to, namespace, key } = asked
  const searched = source === null ? '' : searchedText(source)
  if (from === to || searched === '') return { memory: { matches: [], complete: true } }
  const { projects = null } = requireCaller(reply.request, 'read')
  try {
    // One more, since the pair of the key itself is left out.
    const query = { source: searched, from, to, projects, limit: MOST_MATCHES + 1 }
    const found = await memory.in(reply, snapshot, query, PATIENCE_MS)
    const isOwn = (one: KeyPlace) => one.project === slug && one.namespace === namespace && one.key === key
    const matches = found.matches.filter(match => !isOwn(match)).slice(0, MOST_MATCHES)
    return { memory: { matches, complete: found.complete, ...(!found.complete && { notice: INCOMPLETE }) } }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'unavailable') throw error
    return { memory: null, notice: error.message }
  }
}

/** Where a match is. */
type KeyPlace = Pick<MemoryMatch, 'project' | 'namespace' | 'key'>

/** The text, else the most general form. */
function searchedText(source: Message): string {
  const texts = new Map(linesOf(partsOf(source)))
  const text = texts.get('') ?? texts.get('_other') ?? texts.get('_ordinal_other') ?? [...texts.values()].at(-1) ?? ''
  return text.trim() === '' ? '' : text.slice(0, MOST_SEARCHED)
}
