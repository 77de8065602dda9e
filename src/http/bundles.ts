/** Reading bundles: a namespace's stored file, or a whole language as the model. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { FORMS } from '../bundle/message.ts'
import { checkLanguage, checkNamespace, checkSlug } from '../bundle/names.ts'
import { bundleAt, namespacesOf, requireLanguage, requireNamespaces, requireProject } from '../project/layout.ts'
import { type BundleName, languagePath, projectPath } from '../project/project.ts'
import { Tree } from '../store/objects/tree.ts'
import { idOf, sendEntity, sendRendered } from './answers/conditional.ts'
import { isOfMany, multiParameter, sendMany } from './multi.ts'
import { renderLanguage } from './reading/language-rows.ts'
import { pinnedStateOf } from './reading/pinned-state.ts'
import { emptyParameter, omitsEmpty, omitted } from './reading/shown-bundles.ts'
import { askedAt, atQuery, readAt } from './requests/at.ts'
import { requireCaller } from './requests/caller.ts'
import { readMany, readOnce } from './requests/query.ts'
import {
  component,
  flag,
  key,
  language,
  namespace,
  type OfBundle,
  type OfLanguage,
  reading,
} from './requests/shapes.ts'

const forms = z.partialRecord(z.enum(FORMS), z.string())
/** What a key holds. */
export const MessageShape = z
  .union([z.string(), z.object({ text: z.string().optional(), cardinal: forms.optional(), ordinal: forms.optional() })])
  .meta({
    id: 'Message',
    description: 'A text, or what there is of a text, cardinal forms and ordinal forms.',
    examples: ['Startseite', { cardinal: { one: '{{count}} Artikel', other: '{{count}} Artikel' } }],
  })
/** An i18next JSON object. */
export const ResourceShape = z.record(z.string(), z.unknown()).meta({
  id: 'Resource',
  description: 'An i18next JSON object: texts by key, nested or not, plurals as `key_one`, `key_other` and so on.',
  examples: [{ nav: { home: 'Home' }, item_one: '{{count}} item', item_other: '{{count}} items' }],
})

/** A key with what it holds. */
export const KeyRow = component('Key', { key, namespace, message: MessageShape })
const Language = component('Language', { language, keys: z.array(KeyRow) })

/** The paths of a language and of a bundle. */
export const languageUrl = '/api/projects/:slug/bundles/:language'
export const bundleUrl = `${languageUrl}/:namespace`

/** What became of a key. */
export const KeyChangeRow = z.object({
  language,
  namespace,
  key,
  before: MessageShape.nullable().describe('Null where the key was absent.'),
  after: MessageShape.nullable().describe('Null where it is gone.'),
})

/** The query parameters of what may be looked at before it is done. */
export const previewFlags = z.object({
  dryRun: flag.describe('`true`: the same answer with `changes`, and nothing is written.'),
  details: flag.describe('`true`: the answer lists the keys that change.'),
})
/** Their fields in the answer. */
export const previewed = {
  dryRun: z.boolean(),
  changes: z
    .array(KeyChangeRow)
    .optional()
    .describe('On a dry run and with `details=true`: the first 1,000 changes, fewer where their texts are long.'),
  more: z.int().optional().describe('How many changes there are beyond those in `changes`.'),
}

/** The bundle in the path of a request, without a key. */
export const bundleOf = ({ params: { slug, language, namespace } }: FastifyRequest<OfBundle>): BundleName => ({
  slug,
  language,
  namespace,
})

/** @throws Failure `invalid` */
function checkBundle({ slug, language, namespace }: BundleName): BundleName {
  return { slug: checkSlug(slug), language: checkLanguage(language), namespace: checkNamespace(namespace) }
}

/** The part that a request names, by default all. @throws Failure `invalid` */
export function checkPart(
  slug: string,
  { language, namespace }: { language?: string | undefined; namespace?: string | undefined },
) {
  return {
    slug: checkSlug(slug),
    language: language === undefined ? undefined : checkLanguage(language),
    namespace: namespace === undefined ? undefined : checkNamespace(namespace),
  }
}

/** The query parameters that name a part. */
export const partQuery = {
  language: language.optional().describe('Only this language.'),
  namespace: namespace.optional().describe('Only this namespace.'),
}

/** The part that the query of a read names. @throws Failure `invalid` */
export const partIn = (request: FastifyRequest, slug: string) =>
  checkPart(slug, { language: readOnce(request, 'language'), namespace: readOnce(request, 'namespace') })

/** Adds the routes to a scope behind `identify`. */
export function bundleRoutes(app: FastifyInstance): void {
  const tags = ['Bundles']
  /** Languages that are being rendered. Requests share them: after a write many clients read the same one. */
  const rendering = new Map<string, Promise<Buffer>>()

  const readNamespace = {
    tags,
    operationId: 'getBundle',
    summary: 'One namespace as an i18next resource',
    description:
      'The canonical file, byte for byte. The opaque part of the `ETag` is its git blob id. ' +
      'A namespace that the language lacks is an empty object. Several names joined by `+` (`en+de/common+home`), as ' +
      'i18next-multiload-backend-adapter asks, are answered by `{ language: { namespace: resource } }`, with an empty ' +
      'object for what the project lacks.',
    querystring: atQuery.extend({ empty: emptyParameter, multi: multiParameter }),
    ...reading(ResourceShape.describe('The resource, in the format of the project.'), 'not-found', 'unfit'),
  }
  app.get<OfBundle>(bundleUrl, { schema: readNamespace }, (request, reply) => {
    if (isOfMany(request, request.params)) return sendMany(reply, request.params)
    // Otherwise names are checked only when nothing is found: most reads find something.
    if (askedAt(request) !== undefined) checkBundle(request.params)
    const translated = omitsEmpty(request)
    return readAt(reply, request.params.slug, snapshot => {
      const found = bundleAt(snapshot, request.params)
      // An existing bundle has good names: stored paths have four parts, each of ours at least one.
      if (!found.exists || !snapshot.entry(projectPath(request.params.slug))) {
        const bundle = checkBundle(request.params)
        requireLanguage(snapshot, requireProject(snapshot, bundle.slug), bundle.language)
      }
      if (!translated) return sendEntity(reply, found.id, found.bytes)
      const render = () => omitted(found.bytes(), pinnedStateOf(request, snapshot), request.params)
      return sendRendered(reply, idOf(`${found.id} empty=omit`), render, '')
    })
  })

  const readLanguage = {
    tags,
    operationId: 'getLanguage',
    summary: 'A whole language as the stored model',
    description: 'One row per key of every namespace. The opaque part of the `ETag` is the git tree id of its folder.',
    querystring: atQuery.extend({
      namespace: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe('Only these namespaces; may be repeated. 404 for one that the project lacks.'),
    }),
    ...reading(
      Language.describe('The keys by namespace, in the order of the files.'),
      'not-found',
      'unfit',
      'too-large',
    ),
  }
  const reads = { permission: 'read' } as const
  app.get<OfLanguage>(languageUrl, { schema: readLanguage, config: reads }, (request, reply) => {
    const { slug, language } = request.params
    const wanted = readMany(request, 'namespace', checkNamespace)
    return readAt(reply, slug, snapshot => {
      const project = requireProject(snapshot, slug)
      requireLanguage(snapshot, project, language)
      if (wanted) requireNamespaces(snapshot, project, wanted)
      const id = snapshot.entry(languagePath(slug, language))?.id ?? Tree.EMPTY.id
      const variant = ` ${language} ${project.defaultFormat} ${wanted ? [...wanted] : ''}`
      const render = () => {
        const name = `${requireCaller(request, 'read').organization} ${id}${variant}`
        const present = namespacesOf(snapshot, slug, language)
        const shown = wanted ? present.filter(name => wanted.has(name)) : present
        const made =
          rendering.get(name) ??
          renderLanguage(project, language, shown, pinnedStateOf(request, snapshot)).finally(() =>
            rendering.delete(name),
          )
        rendering.set(name, made)
        return made
      }
      return sendRendered(reply, id, render, variant)
    })
  })
}
