/** TypeScript declarations of a project's keys, for i18next's `t()`. */
import type { FastifyInstance } from 'fastify'
import { Failure } from '../bundle/errors.ts'
import { asBuffer } from '../bundle/file-change.ts'
import { checkNamespace } from '../bundle/names.ts'
import { isFlat } from '../bundle/resource.ts'
import { declarations, memberStart } from '../bundle/types.ts'
import { bundleAt, idOf as fileId, namespacesOf, requireNamespaces, requireProject } from '../project/layout.ts'
import type { BundleName, Project } from '../project/project.ts'
import { joinBytes } from '../scheduling/join-bytes.ts'
import { idOf, sendRendered } from './answers/conditional.ts'
import { type PinnedState, pinnedStateOf } from './reading/pinned-state.ts'
import { atQuery, readAt } from './requests/at.ts'
import { readMany, readOnce } from './requests/query.ts'
import { namespace, type OfProject, only, reading, text } from './requests/shapes.ts'

/** Part of the entity tag. Changes when the same files render differently. */
const VERSION = 2
/** Bytes. Larger files are rendered by the worker: printing types is slower than reading a file. */
const LARGE = 2 ** 18
/** Maximum bytes of files for one answer. No compiler can process more. */
const MOST_BYTES = 2 ** 24

const Declarations = text('A `.d.ts` that augments `CustomTypeOptions` of i18next.', "import 'i18next'\n…")

/** Adds the route to a scope behind `identify`. */
export function typesRoutes(app: FastifyInstance): void {
  const { response, ...conditional } = reading(Declarations, 'not-found', 'unfit', 'too-large', 'unavailable')
  const schema = {
    tags: ['Bundles'],
    operationId: 'getTypes',
    summary: "TypeScript declarations of the keys, for i18next's t()",
    description:
      'Of the source language, for the `CustomTypeOptions` of i18next 25 to 27. A flat project has `keySeparator: false`, ' +
      'one with its own `interpolation` the prefix and suffix.',
    querystring: atQuery.extend({
      namespace: only(namespace, 'namespaces'),
      defaultNS: namespace
        .optional()
        .describe(
          "The app's `defaultNS`. By default the first of these that is there: `translation` as in i18next, `common`, the " +
            'first by name.',
        ),
    }),
    ...conditional,
    response: { ...response, 200: { ...response[200]!, type: 'text/plain' } },
  }
  app.get<OfProject>('/api/projects/:slug/types.d.ts', { schema, config: { permission: 'read' } }, (request, reply) => {
    const { slug } = request.params
    const asked = readMany(request, 'namespace', checkNamespace)
    const askedDefault = readOnce(request, 'defaultNS')
    if (askedDefault !== undefined) checkNamespace(askedDefault)
    return readAt(reply, slug, snapshot => {
      const project = requireProject(snapshot, slug)
      if (asked) requireNamespaces(snapshot, project, asked)
      const language = project.sourceLanguage
      const shown = namespacesOf(snapshot, slug, language).filter(name => asked?.has(name) ?? true)
      const defaultNamespace = defaultOf(project, shown, askedDefault)
      const bundles = shown.map((namespace): BundleName => ({ slug, language, namespace }))
      const lines = bundles.map(bundle => `${bundle.namespace} ${fileId(snapshot, bundle)}`)
      const { defaultFormat, interpolation } = project
      const rules = interpolation ? ` ${JSON.stringify(interpolation)}` : ''
      const id = idOf([`types ${VERSION} ${slug} ${defaultFormat} ${defaultNamespace}${rules}`, ...lines].join('\n'))
      const render = () => {
        const { head, foot } = declarations({
          of: `The texts of project "${slug}" in its source language "${language}", for i18next.`,
          defaultNamespace,
          flat: isFlat(defaultFormat),
          interpolation,
        })
        return renderAll(bundles, pinnedStateOf(request, snapshot), { head, foot, interpolation })
      }
      return sendRendered(reply, id, render, '', { type: 'text/plain; charset=utf-8' })
    })
  })
}

/** i18next's default namespace, and the most common one. */
const USUAL = ['translation', 'common'] as const

/** @throws Failure `not-found` for one that is not shown */
function defaultOf({ slug, sourceLanguage }: Project, shown: string[], asked?: string): string {
  if (asked !== undefined && !shown.includes(asked)) {
    throw new Failure(
      'not-found',
      `Project "${slug}" has no namespace "${asked}" in "${sourceLanguage}" to be the default.`,
    )
  }
  return asked ?? USUAL.find(name => shown.includes(name)) ?? shown[0] ?? USUAL[0]
}

/**
 * Small files in slices, large ones in the worker.
 * @throws Failure `unfit` for what is no resource, or too much of it
 */
async function renderAll(
  bundles: BundleName[],
  pinned: PinnedState,
  { head, foot, interpolation }: { head: string; foot: string; interpolation: Project['interpolation'] },
): Promise<Buffer> {
  const parts: Buffer[] = [Buffer.from(head)]
  // The default namespace must be one of the resources.
  if (bundles.length === 0) parts.push(Buffer.from(`${memberStart(USUAL[0])}{}\n`))
  let read = 0
  for (const bundle of bundles) {
    const bytes = await pinned.look(state => bundleAt(state, bundle).bytes())
    read += bytes.length
    if (read > MOST_BYTES) throw tooLarge()
    const type = await pinned.compute('types', () => ({ bytes, interpolation }), { most: LARGE })
    parts.push(Buffer.from(memberStart(bundle.namespace)), asBuffer(type), Buffer.from('\n'))
  }
  return joinBytes([...parts, Buffer.from(foot)])
}

const tooLarge = () =>
  new Failure(
    'unfit',
    `The source language has more than ${MOST_BYTES / 2 ** 20} MiB of files, the maximum for types: request some ` +
      'of its namespaces by ?namespace=.',
  )
