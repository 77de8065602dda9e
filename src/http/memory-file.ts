/** A project's translations into one language as a TMX file, for other tools. */
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import { asBuffer } from '../bundle/file-change.ts'
import { checkLanguage } from '../bundle/names.ts'
import { TMX_FOOT, tmxHead } from '../bundle/tmx.ts'
import { namespacesOf, requireLanguage, requireProject } from '../project/layout.ts'
import { bundlePath, languagePath, type Project } from '../project/project.ts'
import { staleFolder, stalePath } from '../project/stale.ts'
import { FairSlots } from '../scheduling/fair-slots.ts'
import { addVary, idOf, sendUnchanged } from './answers/conditional.ts'
import { type PinnedState, pinnedStateOf } from './reading/pinned-state.ts'
import { compressed, sendInTurn } from './reading/send-in-turn.ts'
import { atParameter, readShownAt } from './requests/at.ts'
import { readRequired } from './requests/query.ts'
import { language, type OfProject, reading, text } from './requests/shapes.ts'
import { VERSION } from './version.ts'

/** Each holds two bundles and their stale entries. */
const AT_ONCE = 4
const WAITING = 100
/** Part of the entity tag. Changes when the same files render differently. */
const FORMAT_VERSION = 1

const Tmx = text('TMX 1.4b in UTF-8: one unit for each text and each form of the translation.', '<?xml …')

/** Adds the route to a scope behind `identify`. */
export function memoryFileRoutes(app: FastifyInstance): void {
  const slots = new FairSlots(AT_ONCE, WAITING)
  const { response, ...conditional } = reading(Tmx, 'not-found', 'unavailable')
  const headers = ['ETag', 'Cache-Control', 'Content-Disposition', 'Parlance-Revision'] as const
  const schema = {
    tags: ['Memory'],
    operationId: 'exportMemory',
    summary: "A project's translations into a language as TMX",
    description:
      'Streamed. A unit has the source text, its translation, and the project, namespace and key as `prop`. A form of a ' +
      'plural stands beside the same form of the source, or beside `other`. Stale and empty translations have no unit. ' +
      'Characters that XML forbids become U+FFFD.',
    querystring: z.object({
      language: language.describe('The language of the translations; required.'),
      at: atParameter,
    }),
    ...conditional,
    response: { ...response, 200: { description: 'The file.', body: Tmx, type: 'application/x-tmx+xml', headers } },
  }
  const config = { permission: 'read' } as const
  app.get<OfProject>('/api/projects/:slug/memory.tmx', { schema, config }, async (request, reply) => {
    const { slug } = request.params
    const language = checkLanguage(readRequired(request, 'language', 'name the language of the translations'))
    await readShownAt(reply, slug, async snapshot => {
      const project = requireProject(snapshot, slug)
      const { sourceLanguage } = project
      requireLanguage(snapshot, project, language)
      if (language === sourceLanguage) {
        throw new Failure('invalid', `"${language}" is the source language of "${slug}": name one of its translations.`)
      }
      const paths = [languagePath(slug, sourceLanguage), languagePath(slug, language), staleFolder(slug)]
      const ids = paths.map(path => snapshot.entry(path)?.id ?? '')
      const name = ['tmx', FORMAT_VERSION, slug, sourceLanguage, language, ...ids]
      addVary(reply, 'Accept-Encoding')
      if (sendUnchanged(reply, idOf(name.join(' ')))) return
      reply.type('application/x-tmx+xml; charset=utf-8')
      reply.header('content-disposition', `attachment; filename="${slug}-${language}.tmx"`)
      reply.header('parlance-revision', snapshot.revision!)
      if (request.method === 'HEAD') return void reply.send(Readable.from([]))
      const namespaces = namespacesOf(snapshot, slug, language)
      const parts = partsOf(project, language, namespaces, pinnedStateOf(request, snapshot))
      await sendInTurn(reply, slots, async () => compressed(reply, Readable.from(parts)))
    })
    return reply
  })
}

/** Small bundles in slices, large ones in the worker, one at a time. */
async function* partsOf(project: Project, language: string, namespaces: string[], pinned: PinnedState) {
  const { slug, sourceLanguage } = project
  yield Buffer.from(tmxHead(sourceLanguage, VERSION))
  for (const namespace of namespaces) {
    const [without] = await pinned.compute('staleKeys', state => ({
      bytes: state.read(stalePath(slug, namespace)) ?? Buffer.from('{}'),
      languages: [language],
    }))
    const units = await pinned.compute('tmx', state => ({
      source: state.read(bundlePath({ slug, language: sourceLanguage, namespace })) ?? null,
      target: state.read(bundlePath({ slug, language, namespace })) ?? null,
      from: sourceLanguage,
      to: language,
      project: slug,
      namespace,
      without: without!,
    }))
    if (units.length > 0) yield asBuffer(units)
  }
  yield Buffer.from(TMX_FOOT)
}
