/** Comments on keys: threads in files beside the bundles, read and written by every member. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Caller } from '../auth/access.ts'
import { checkCommentText, type KeyComment } from '../bundle/comment.ts'
import { MAX_COMMENT, MAX_COMMENTS } from '../bundle/comment-limits.ts'
import type { CommitAction } from '../bundle/commit-subject.ts'
import { Failure } from '../bundle/errors.ts'
import { mentionsIn } from '../bundle/mentions.ts'
import { peel } from '../bundle/message.ts'
import { checkLanguage } from '../bundle/names.ts'
import { requireLanguage, requireProject } from '../project/layout.ts'
import type { CommentChange } from '../project/sidecars/comments-file.ts'
import { joinBytes } from '../scheduling/join-bytes.ts'
import type { Snapshot } from '../store/store.ts'
import { json, sendRendered } from './answers/conditional.ts'
import { pinnedStateOf } from './reading/pinned-state.ts'
import { atQuery, readAt } from './requests/at.ts'
import { requireCaller } from './requests/caller.ts'
import { entryAuthor } from './requests/entry-author.ts'
import {
  component,
  count,
  deleting,
  IN_PATHS,
  key,
  language,
  like,
  namespace,
  reading,
  type Sends,
  text,
  time,
  writing,
} from './requests/shapes.ts'
import { commentsAt, commentsTask, putComments } from './writing/comments-task.ts'
import { commitMessage } from './writing/commit-message.ts'
import type { AskPermission } from './writing/permitted-writes.ts'

const words = text(
  `The text, 1 to ${MAX_COMMENT.toLocaleString('en')} characters. \`@\` and the name of a member mentions them; a first ` +
    'name is enough where one member has it.',
  '@Ben Is this a verb?',
)
const resolved = like(z.boolean(), true).describe('Whether the matter is settled.')
const NewComment = z
  .strictObject({ text: words, language: language.optional().describe('The language that it is about.') })
  .meta({ id: 'NewComment', examples: [{ text: '@Ben Is this a verb?', language: 'de' }] })
const CommentChanges = z
  .strictObject({ text: words.optional(), resolved: resolved.optional() })
  .refine(({ text, resolved }) => text !== undefined || resolved !== undefined, 'it needs "text" or "resolved"')
  .meta({ id: 'CommentChanges', examples: [{ resolved: true }] })
const id = text('Names the comment in its namespace.', 'q3Zk0pXv81Ta')
const stored = {
  id,
  language: language.optional(),
  by: z
    .object({ id: text('The id of the user or token.', 'u4fTq9'), name: text('The name at that time.', 'Ann') })
    .describe('Who wrote it.'),
  at: time,
  text: words,
  resolved: like(z.literal(true).optional(), true).describe('Absent while it is open.'),
}
/** The comments of a key. */
export const CommentsShape = z.array(component('Comment', stored)).describe('The comments, the oldest first.')
const KeyComments = component('KeyComments', { key, namespace, comments: CommentsShape })
const mentions = like(z.array(z.string()), ['u7Rb2x']).describe('The ids of the users that the text mentions.')
const WrittenComment = component('WrittenComment', { key, namespace, ...stored, mentions })
const CommentCounts = component('CommentCounts', {
  keys: z
    .record(z.string(), z.object({ comments: count('All of them.', 3), open: count('Those not resolved.', 1) }))
    .describe('By key; keys without a comment are left out.'),
})

type OfNamespace = { Params: { slug: string; namespace: string } }
type OfThread = { Params: OfNamespace['Params'] & { key: string } }
type OfComment = { Params: OfThread['Params'] & { id: string } }

const url = '/api/projects/:slug/comments/:namespace'

/** Adds the routes to a scope behind `identify`. */
export function commentRoutes(app: FastifyInstance): void {
  const tags = ['Comments']
  const read = { permission: 'read' } as const

  const counts = {
    tags,
    operationId: 'getCommentCounts',
    summary: 'The keys of a namespace with comments',
    description: 'How many comments each key has. Comments never change a bundle or its `ETag`.',
    querystring: atQuery,
    ...reading(CommentCounts.describe('The numbers by key.'), 'not-found', 'unfit', 'unavailable'),
  }
  app.get<OfNamespace>(url, { schema: counts, config: read }, (request, reply) => {
    const { slug, namespace } = request.params
    return readAt(reply, slug, snapshot => {
      requireProject(snapshot, slug)
      const { id } = commentsAt(snapshot, slug, namespace)
      const render = async () => {
        const read = (state: Snapshot) => ({ file: commentsAt(state, slug, namespace).bytes })
        const keys = await pinnedStateOf(request, snapshot).compute('countComments', read)
        return joinBytes([OPEN, keys, CLOSE])
      }
      return sendRendered(reply, id, render, ' comments')
    })
  })

  const thread = {
    tags,
    operationId: 'getComments',
    summary: 'The comments on one key',
    description:
      'The name of a form is that of its key. A key without comments has an empty list, and need not exist. The `ETag` ' +
      'is that of the comments of the namespace.',
    querystring: atQuery,
    ...reading(KeyComments.describe('The comments.'), 'not-found', 'unfit', 'unavailable'),
  }
  app.get<OfThread>(`${url}/:key`, { schema: thread, config: read }, (request, reply) => {
    const { slug, namespace } = request.params
    const { key } = peel(request.params.key)
    return readAt(reply, slug, snapshot => {
      requireProject(snapshot, slug)
      const { id } = commentsAt(snapshot, slug, namespace)
      const render = async () => {
        const read = (state: Snapshot) => ({ file: commentsAt(state, slug, namespace).bytes, key })
        return json({ key, namespace, comments: await pinnedStateOf(request, snapshot).compute('comments', read) })
      }
      return sendRendered(reply, id, render, ` comments ${namespace} ${key}`)
    })
  })

  const edit = { permission: 'edit' } as const
  const options = { config: edit, bodyLimit: app.limits.keyBody }
  const run = async (request: FastifyRequest<OfThread>, reply: Parameters<typeof app.changes.run>[0], plan: Plan) => {
    const { slug, namespace } = request.params
    return app.changes.run(reply, { slug }, (state, compute, ask) => {
      const project = requireProject(state, slug)
      const { kind, language, change } = plan(ask)
      if (language !== undefined) requireLanguage(state, project, language)
      const { file, comment } = compute([commentsTask(state, project, namespace, change)])[0]!
      putComments(state, project, namespace, file)
      const message = commitMessage({ slug, namespace, kind, key: change.key }, { slug, namespaces: [namespace] })
      return { result: comment, message }
    })
  }
  const written = ({ params, caller }: FastifyRequest<OfThread>, key: string, comment: KeyComment) => {
    const members = comment.text.includes('@') ? app.auth.members(caller!.organization) : []
    return { key, namespace: params.namespace, ...comment, mentions: mentionsIn(comment.text, members) }
  }

  const post = {
    tags,
    operationId: 'postComment',
    summary: 'Comment on a key',
    description:
      `One commit. A token needs the scope \`suggest\` or \`write\`. The key need not exist, and has at most ${MAX_COMMENTS} comments. The thread moves with a renamed ` +
      'key, goes when the key goes from the source language, and returns with it. In git the author has an id and a ' +
      'name, and no e-mail address.',
    body: NewComment,
    ...writing({ 201: WrittenComment.describe('The comment as stored.') }, 'not-found', 'unfit'),
  }
  const suggests = { config: { permission: 'suggest' }, bodyLimit: app.limits.keyBody } as const
  app.post<OfThread & Sends<typeof NewComment>>(
    `${url}/:key`,
    { schema: post, ...suggests },
    async (request, reply) => {
      const { key } = peel(request.params.key)
      const asked = request.body.language
      const language = asked === undefined ? undefined : checkLanguage(asked)
      const caller = requireCaller(request, 'suggest')
      const comment: KeyComment = {
        id: randomBytes(9).toString('base64url'),
        ...(language !== undefined && { language }),
        by: entryAuthor(caller),
        at: new Date().toISOString(),
        text: checkCommentText(request.body.text),
      }
      await run(request, reply, () => ({ kind: 'comment', language, change: { kind: 'add', key, comment } }))
      return reply.code(201).send(written(request, key, comment))
    },
  )

  const { slug, namespace: ns, key: inPath } = IN_PATHS
  const params = z.object({ slug, namespace: ns, key: inPath, id })
  const patch = {
    tags,
    operationId: 'patchComment',
    summary: 'Change or resolve a comment',
    description: 'Its author alone changes the text. Every member resolves and reopens a comment.',
    params,
    body: CommentChanges,
    ...writing({ 200: WrittenComment.describe('The comment as stored.') }, 'not-found', 'unfit'),
  }
  type Patch = OfComment & Sends<typeof CommentChanges>
  app.patch<Patch>(`${url}/:key/:id`, { schema: patch, ...options }, async (request, reply) => {
    const { key } = peel(request.params.key)
    const { resolved } = request.body
    const text = request.body.text === undefined ? undefined : checkCommentText(request.body.text)
    const kind = text !== undefined ? 'edit-comment' : resolved ? 'resolve-comment' : 'reopen-comment'
    const by = text === undefined ? null : requireCaller(request, 'edit').id
    const { id } = request.params
    const change = {
      ...{ kind: 'edit' as const, key, id, by },
      ...(text !== undefined && { text }),
      ...(resolved !== undefined && { resolved }),
    }
    const comment = await run(request, reply, () => ({ kind, change }))
    return reply.send(written(request, key, comment))
  })

  const remove = {
    tags,
    operationId: 'deleteComment',
    summary: 'Delete a comment',
    description: 'Its author deletes it, and by session an owner or admin. The history of git still has it.',
    params,
    ...deleting(undefined, 'unfit'),
  }
  app.delete<OfComment>(`${url}/:key/:id`, { schema: remove, config: edit }, async (request, reply) => {
    const { key } = peel(request.params.key)
    const caller = requireCaller(request, 'edit')
    await run(request, reply, ask => {
      const by = mayDeleteAny(caller, ask) ? null : caller.id
      return { kind: 'remove-comment', change: { kind: 'remove', key, id: request.params.id, by } }
    })
    return reply.code(204).send()
  })
}

/** What a request does, asked for in the queue. @param ask checks a further right of the caller as it is then */
type Plan = (ask: AskPermission) => {
  kind: Extract<CommitAction['kind'], 'comment' | `${string}-comment`>
  /** Must exist. */
  language?: string | undefined
  change: CommentChange
}

/** Whether the caller may delete the comments of others: an owner or admin, by session. */
function mayDeleteAny(caller: Caller, ask: AskPermission): boolean {
  if (caller.kind !== 'session') return false
  try {
    ask('manage-projects')
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'forbidden') return false
    throw error
  }
}

const [OPEN, CLOSE] = [Buffer.from('{"keys":'), Buffer.from('}')]
