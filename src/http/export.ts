/**
 * A project's bundles in one answer: a zip of its files, or one JSON object; streamed, one bundle in memory at a time.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { checkLanguage, checkNamespace } from '../bundle/names.ts'
import { type ChangedBundle, changedBundles, changedLanguages } from '../project/changed-files.ts'
import {
  idOf as fileId,
  languagesOf,
  namespacesOf,
  requireLanguage,
  requireNamespaces,
  requireProject,
} from '../project/layout.ts'
import { languagePath, type Project } from '../project/project.ts'
import { FairSlots } from '../scheduling/fair-slots.ts'
import { nextTurn, slices } from '../scheduling/slices.ts'
import { inSlices, type Steps } from '../scheduling/steps.ts'
import type { Snapshot } from '../store/store.ts'
import { addVary, idOf, sendUnchanged } from './answers/conditional.ts'
import { zip } from './answers/zip.ts'
import { ResourceShape } from './bundles.ts'
import { checkSince } from './events/change-event.ts'
import { type PinnedState, pinnedStateOf } from './reading/pinned-state.ts'
import { compressed, sendInTurn } from './reading/send-in-turn.ts'
import { emptyParameter, omitsEmpty, ShownBundles } from './reading/shown-bundles.ts'
import { askedAt, atQuery, readShownAt, resolveFor } from './requests/at.ts'
import { readMany, readOnce, readWord } from './requests/query.ts'
import { language, namespace, type OfProject, only, reading, text } from './requests/shapes.ts'

/** Each holds a bundle or two, and what compresses them. */
const AT_ONCE = 8
const WAITING = 100

const Zip = text('The archive: `<language>/<namespace>.json`, byte for byte the files.', 'PK…')
const Resources = z
  .record(z.string(), z.record(z.string(), ResourceShape))
  .describe('With `format=json`: `{ language: { namespace: resource } }`.')
  .meta({ examples: [{ en: { common: { title: 'Hello' } }, de: { common: { title: 'Hallo' } } }] })

/** A language with the namespaces of it that are wanted. */
type Wanted = [language: string, namespaces: string[]]

/** Adds the route to a scope behind `identify`. */
export function exportRoutes(app: FastifyInstance): void {
  const slots = new FairSlots(AT_ONCE, WAITING)
  const { response, ...conditional } = reading(Zip, 'not-found', 'unfit', 'unavailable')
  const schema = {
    tags: ['Bundles'],
    operationId: 'exportProject',
    summary: 'All bundles of a project: a zip, or one JSON object',
    description:
      'Streamed, under one `ETag` of the whole content; `Parlance-Revision` names the state. The same state has the same bytes: ' +
      'files of the archive have a fixed time. With `since`, only bundles that changed since that revision, under the `ETag` ' +
      'of the whole state.',
    querystring: atQuery.extend({
      language: only(language, 'languages'),
      namespace: only(namespace, 'namespaces'),
      format: z.enum(['zip', 'json']).optional().describe('By default a zip.'),
      since: z
        .string()
        .optional()
        .describe(
          'Only the bundles that differ from this revision: the full id of its commit, as `Parlance-Revision` had it. One that is gone is empty, `{}`.',
        ),
      empty: emptyParameter,
    }),
    ...conditional,
    response: {
      ...response,
      200: {
        description: 'The bundles.',
        body: Zip,
        type: 'application/zip',
        also: { type: 'application/json', body: Resources },
        headers: ['ETag', 'Cache-Control', 'Content-Disposition', 'Parlance-Revision', 'Parlance-Since'],
      },
    },
  }
  app.get<OfProject>(
    '/api/projects/:slug/export',
    { schema, config: { permission: 'read' } },
    async (request, reply) => {
      const { slug } = request.params
      const languages = readMany(request, 'language', checkLanguage)
      const namespaces = readMany(request, 'namespace', checkNamespace)
      const format = readWord(request, 'format', ['zip', 'json']) ?? 'zip'
      const omits = omitsEmpty(request)
      const asked = readOnce(request, 'since')
      const since = asked === undefined ? undefined : (await resolveFor(request, checkSince(asked))).revision!
      // Of many exports that begin together one has its turn after the other: each looks at all names of a project.
      await nextTurn()
      await readShownAt(reply, slug, async snapshot => {
        const project = requireProject(snapshot, slug)
        for (const language of languages ?? []) requireLanguage(snapshot, project, language)
        if (namespaces) requireNamespaces(snapshot, project, namespaces)
        const chosenOnes = languagesOf(snapshot, project).filter(name => languages?.has(name) ?? true)
        const isChosen = ({ language, namespace }: ChangedBundle) =>
          (languages?.has(language) ?? true) && (namespaces?.has(namespace) ?? true)
        // Also with `since`: a client that has this state gets a 304.
        const lines = await inSlices(linesOf(snapshot, project, chosenOnes, namespaces))
        const id = idOf([`export ${format} ${omits}`, ...lines].join('\n'))
        if (format === 'json') addVary(reply, 'Accept-Encoding')
        if (sendUnchanged(reply, id)) return
        const all = since === undefined ? undefined : await changedSince(pinnedStateOf(request, snapshot), since, slug)
        const changed = all?.filter(isChosen)
        const describe = () => {
          reply.type(format === 'zip' ? 'application/zip' : 'application/json; charset=utf-8')
          const name = fileName(slug, askedAt(request), format)
          reply.header('content-disposition', `attachment; filename="${name}"`)
          // A project is there by a commit, so there is one.
          reply.header('parlance-revision', snapshot.revision!)
          if (since !== undefined) reply.header('parlance-since', since)
        }
        if (request.method === 'HEAD') {
          describe()
          return void reply.send(Readable.from([]))
        }
        const wanted = changed
          ? Array.from(
              Map.groupBy(changed, ({ language }) => language),
              ([language, of]): Wanted => [language, of.map(({ namespace }) => namespace)],
            )
          : chosenOnes.map((language): Wanted => {
              const present = namespacesOf(snapshot, slug, language)
              return [language, namespaces ? present.filter(name => namespaces.has(name)) : present]
            })
        const shown = new ShownBundles(request, snapshot)
        await sendInTurn(reply, slots, async () => {
          if (format === 'zip') {
            describe()
            return zip(filesOf(slug, wanted, shown))
          }
          // Once it has begun, an answer cannot say what is wrong.
          if (askedAt(request) !== undefined) for await (const _ of shown.composed(slug, wanted));
          describe()
          return compressed(reply, Readable.from(shown.composed(slug, wanted)))
        })
      })
      return reply
    },
  )
}

/** The bundles that differ from a revision, looked for in slices. */
async function changedSince({ look }: PinnedState, since: string, slug: string): Promise<ChangedBundle[]> {
  const pause = slices()
  const changed: ChangedBundle[] = []
  for (const language of await look(now => changedLanguages(now.at(since), now, { slug }))) {
    changed.push(...(await look(now => changedBundles(now.at(since), now, { slug, language }))))
    await pause()
  }
  return changed
}

/** What determines an export: the folders of its languages, or the files of some namespaces. One step a language. */
function* linesOf(
  snapshot: Snapshot,
  { slug }: Project,
  languages: string[],
  wanted: ReadonlySet<string> | undefined,
): Steps<string[]> {
  const lines: string[] = []
  for (const language of languages) {
    if (wanted === undefined) lines.push(`${language} ${snapshot.entry(languagePath(slug, language))?.id}`)
    else {
      for (const namespace of namespacesOf(snapshot, slug, language).filter(name => wanted.has(name)))
        lines.push(`${language}/${namespace} ${fileId(snapshot, { slug, language, namespace })}`)
    }
    yield
  }
  return lines
}

/** Of characters that need no quoting anywhere. */
function fileName(slug: string, at: string | undefined, format: string): string {
  const state = at === undefined ? '' : `-${at.slice(0, 64).replace(/[^A-Za-z0-9._-]+/g, '-')}`
  return `${slug}${state}.${format}`
}

function* filesOf(slug: string, wanted: Wanted[], shown: ShownBundles) {
  for (const [language, namespaces] of wanted) {
    for (const namespace of namespaces) {
      yield { path: `${language}/${namespace}.json`, read: () => shown.bytes({ slug, language, namespace }) }
    }
  }
}
