/** Notes on keys, for translators: read, set and removed, in files beside the bundles. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { CommitSubject } from '../bundle/commit-subject.ts'
import { Failure } from '../bundle/errors.ts'
import { peel } from '../bundle/message.ts'
import { shortKey } from '../bundle/names.ts'
import { checkNote, MAX_MAX, MAX_NOTE, MAX_REFS, MAX_TAGS, type Note } from '../bundle/note.ts'
import { workOf } from '../bundle/work.ts'
import { refuseSidecarTwin } from '../project/case-twins.ts'
import { requireProject } from '../project/layout.ts'
import type { Project } from '../project/project.ts'
import { noteIn, notesJson, unchangedNote } from '../project/sidecars/notes-file.ts'
import { sidecarFolder } from '../project/sidecars/sidecars.ts'
import type { State } from '../project/state.ts'
import { joinBytes } from '../scheduling/join-bytes.ts'
import { checkPreconditions, entityTag, json, sendRendered } from './answers/conditional.ts'
import { pinnedStateOf } from './reading/pinned-state.ts'
import { atQuery, readAt } from './requests/at.ts'
import {
  answer,
  component,
  deleting,
  type Flags,
  flag,
  HEADERS,
  key,
  like,
  namespace,
  reading,
  type Sends,
  text,
  writing,
} from './requests/shapes.ts'
import { LARGE } from './writing/change-runner.ts'
import { commitMessage } from './writing/commit-message.ts'
import { noteChange, notesAt, notesTask, putNotes } from './writing/notes-task.ts'

const note = text(
  `What a translator has to know, at most ${MAX_NOTE.toLocaleString('en')} bytes.`,
  'Label of a button.',
)
const max = like(
  z
    .int(`must be a whole number from 1 to ${MAX_MAX.toLocaleString('en')}`)
    .describe(`The maximum of characters of each form, from 1 to ${MAX_MAX.toLocaleString('en')}.`),
  24,
)
const tags = like(
  z.array(z.string()).describe(`At most ${MAX_TAGS.count}, each of at most ${MAX_TAGS.characters} characters.`),
  ['checkout'],
)
const refs = like(
  z
    .array(z.string())
    .describe(
      `Where the code uses the key, as \`path:line\`: at most ${MAX_REFS.count}, each of at most ` +
        `${MAX_REFS.characters} characters. Where left out, those that are stored stay.`,
    ),
  ['src/cart.tsx:12'],
)
const NewNote = z
  .strictObject({ note: note.optional(), max: max.optional(), tags: tags.optional(), refs: refs.optional() })
  .meta({ id: 'NewNote', examples: [{ note: 'Label of a button.', max: 24, tags: ['checkout'] }] })
/** The members of a note in an answer. */
export const noteMembers = {
  note: note.optional(),
  max: max.optional(),
  tags: tags.optional(),
  refs: refs.optional(),
  from: like(z.enum(['code', 'person']).optional(), 'person').describe('Who wrote `note`: a push or a person.'),
}
const Notes = component('Notes', {
  notes: z.record(z.string(), z.object(noteMembers)).describe('The notes by key; keys without a note are left out.'),
})
const NoteRow = component('Note', { key, namespace, ...noteMembers })

const noteFlags = { dryRun: flag.describe('`true`: the same answer, and nothing is written.') }
const headers = z.object({
  'if-match': text(
    '`*` or the entity tag that the notes of the namespace must still have.',
    HEADERS.ETag.example,
  ).optional(),
  'if-none-match': text('`*`: the namespace must have no notes yet.', '*').optional(),
})

type OfNotes = { Params: { slug: string; namespace: string } }
type OfNote = { Params: OfNotes['Params'] & { key: string } }

const url = '/api/projects/:slug/notes/:namespace'

/** Adds the routes to a scope behind `identify`. */
export function noteRoutes(app: FastifyInstance): void {
  const tags = ['Notes']
  const read = { permission: 'read' } as const

  const list = {
    tags,
    operationId: 'getNotes',
    summary: 'The notes of a namespace',
    description:
      'What developers and translators wrote about keys. Notes never change a bundle or its `ETag`. A key without a ' +
      'text may have a note, too: it waits for the key.',
    querystring: atQuery,
    ...reading(Notes.describe('The notes by key.'), 'not-found', 'unfit', 'unavailable'),
  }
  app.get<OfNotes>(url, { schema: list, config: read }, (request, reply) => {
    const { slug, namespace } = request.params
    return readAt(reply, slug, snapshot => {
      requireProject(snapshot, slug)
      const { id, bytes } = notesAt(snapshot, slug, namespace)
      const list = (notes: Uint8Array) => joinBytes([OPEN, notes, CLOSE])
      const render = () => {
        if (bytes === null || workOf(bytes) <= LARGE) return list(notesJson({ file: bytes }))
        const pinned = pinnedStateOf(request, snapshot)
        return pinned.compute('notes', state => ({ file: notesAt(state, slug, namespace).bytes })).then(list)
      }
      return sendRendered(reply, id, render, ' notes')
    })
  })

  const one = {
    tags,
    operationId: 'getNote',
    summary: 'The note of one key',
    description: 'The name of a form is that of its key. The `ETag` is that of the notes of the namespace.',
    querystring: atQuery,
    ...reading(NoteRow.describe('The key and its note.'), 'not-found', 'unfit', 'unavailable'),
  }
  app.get<OfNote>(`${url}/:key`, { schema: one, config: read }, (request, reply) => {
    const { slug, namespace } = request.params
    const { key } = peel(request.params.key)
    return readAt(reply, slug, snapshot => {
      requireProject(snapshot, slug)
      const { id, bytes } = notesAt(snapshot, slug, namespace)
      const row = (found: Note | null): Buffer => {
        if (found === null) throw noNote(key, namespace)
        return json({ key, namespace, ...found })
      }
      const render = () => {
        if (bytes === null || workOf(bytes) <= LARGE) return row(noteIn({ file: bytes, key }))
        const pinned = pinnedStateOf(request, snapshot)
        return pinned.compute('note', state => ({ file: notesAt(state, slug, namespace).bytes, key })).then(row)
      }
      return sendRendered(reply, id, render, ` note ${namespace} ${key}`, { mayThrow: true })
    })
  })

  const edit = { permission: 'edit' } as const
  const put = {
    tags,
    operationId: 'putNote',
    summary: 'Set the note of a key',
    description:
      'Replaces the note; a body that says nothing removes it. The key need not exist. The note moves with a renamed ' +
      'key, goes when the key goes from the source language, and returns with a restore or an undo.',
    headers,
    querystring: z.object(noteFlags),
    body: NewNote,
    ...writing({ 200: answer(NoteRow.describe('The key and its note.'), 'ETag') }, 'not-found', 'stale', 'unfit'),
  }
  const options = { config: edit, bodyLimit: app.limits.keyBody }
  type Put = OfNote & Flags<typeof noteFlags> & Sends<typeof NewNote>
  app.put<Put>(`${url}/:key`, { schema: put, ...options }, async (request, reply) => {
    const { slug, namespace } = request.params
    const { key } = peel(request.params.key)
    const asked = checkNote(key, request.body)
    // An empty list of references removes those that are stored.
    const value = { ...asked, ...(request.body.refs && { refs: request.body.refs }) }
    const { dryRun } = request.query
    const { note, id } = await app.changes.run(reply, { slug, dryRun }, (state, compute) => {
      const project = requireProject(state, slug)
      const present = admit(state, project, namespace, request)
      const message = describe({ slug, namespace, kind: 'note', key })
      const unchanged = unchangedNote(present.bytes, key, value)
      if (unchanged) return { result: { note: unchanged, id: present.id }, message }
      const task = notesTask(state, project, { namespace, changes: noteChange(key, value), from: 'person' })
      const { file, note } = compute([task])[0]!
      const id = putNotes(state, project, namespace, file)
      return { result: { note, id: dryRun ? present.id : id }, message }
    })
    return reply.header('etag', entityTag(id)).send({ key, namespace, ...note })
  })

  const remove = {
    tags,
    operationId: 'deleteNote',
    summary: 'Remove the note of a key',
    description: 'The key and its texts stay.',
    headers,
    querystring: z.object(noteFlags),
    ...deleting(undefined, 'stale', 'unfit'),
  }
  type Remove = OfNote & Flags<typeof noteFlags>
  app.delete<Remove>(`${url}/:key`, { schema: remove, config: edit }, async (request, reply) => {
    const { slug, namespace } = request.params
    const { key } = peel(request.params.key)
    const { dryRun } = request.query
    await app.changes.run(reply, { slug, dryRun }, (state, compute) => {
      const project = requireProject(state, slug)
      const present = notesAt(state, slug, namespace)
      checkPreconditions(request.headers, present, 'file of notes')
      const task = notesTask(state, project, { namespace, changes: noteChange(key, null), from: 'person' })
      const { file, changed } = compute([task])[0]!
      if (changed === 0) throw noNote(key, namespace)
      putNotes(state, project, namespace, file)
      return { result: undefined, message: describe({ slug, namespace, kind: 'remove-note', key }) }
    })
    return reply.code(204).send()
  })
}

const [OPEN, CLOSE] = [Buffer.from('{"notes":'), Buffer.from('}')]

/** The present notes, preconditions checked. @throws Failure `conflict`, `stale` */
function admit(state: State, project: Project, namespace: string, request: FastifyRequest) {
  const present = notesAt(state, project.slug, namespace)
  if (!present.exists) refuseSidecarTwin(state, project, sidecarFolder(project.slug, 'notes'), namespace)
  checkPreconditions(request.headers, present, 'file of notes')
  return present
}

function noNote(key: string, namespace: string): Failure {
  return new Failure('not-found', `The key ${JSON.stringify(shortKey(key))} of namespace "${namespace}" has no note.`)
}

const describe = (subject: CommitSubject & { namespace: string }) =>
  commitMessage(subject, { slug: subject.slug, namespaces: [subject.namespace] })
