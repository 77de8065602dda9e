/** Many namespaces of many languages in one answer: the paths of i18next-multiload-backend-adapter. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import { checkLanguage, checkNamespace, checkSlug } from '../bundle/names.ts'
import { idOf as fileId, requireProject } from '../project/layout.ts'
import type { BundleName } from '../project/project.ts'
import { joinBytes } from '../scheduling/join-bytes.ts'
import { idOf, sendRendered } from './answers/conditional.ts'
import { omitsEmpty, ShownBundles } from './reading/shown-bundles.ts'
import { readAt } from './requests/at.ts'
import { readWord } from './requests/query.ts'

/** Most bundles that one answer names. */
const MOST_BUNDLES = 1_000
/** Most bytes of their files; more are for the export, which holds one at a time. */
const MOST_BYTES = 2 ** 26

/** The query parameter, for `schema.querystring`. */
export const multiParameter = z
  .enum(['true', 'false'])
  .optional()
  .describe(
    '`true` answers `{ language: { namespace: resource } }` also for one language and one namespace. ' +
      'i18next-multiload-backend-adapter requests these by the same path as i18next-http-backend.',
  )

/** Whether a read is of many: by `+` in its path, or by `?multi=true`. @throws Failure `invalid` for another value */
export function isOfMany(request: FastifyRequest, { language, namespace }: BundleName): boolean {
  return readWord(request, 'multi', ['true', 'false']) === 'true' || language.includes('+') || namespace.includes('+')
}

/**
 * Answers `{ language: { namespace: resource } }`; what the project lacks is an empty object, as i18next asks for more
 * languages than there are.
 * @throws Failure `invalid`, `not-found` for the project
 */
export function sendMany(reply: FastifyReply, params: BundleName): Promise<void> | void {
  const slug = checkSlug(params.slug)
  const languages = namesIn(params.language).map(checkLanguage)
  const namespaces = namesIn(params.namespace).map(checkNamespace)
  if (languages.length * namespaces.length > MOST_BUNDLES) {
    throw new Failure(
      'invalid',
      `The path names ${languages.length} languages and ${namespaces.length} namespaces; one answer has at most ` +
        `${MOST_BUNDLES.toLocaleString('en')} bundles: ask for fewer at a time, or for an export.`,
    )
  }
  const omits = omitsEmpty(reply.request)
  return readAt(reply, slug, snapshot => {
    requireProject(snapshot, slug)
    const lines = languages.flatMap(language =>
      namespaces.map(namespace => `${language}/${namespace} ${fileId(snapshot, { slug, language, namespace })}`),
    )
    const render = async () => {
      const shown = new ShownBundles(reply.request, snapshot)
      const wanted = languages.map((language): [string, string[]] => [language, namespaces])
      return joined(shown.composed(slug, wanted))
    }
    return sendRendered(reply, idOf(`many${omits ? ' empty=omit' : ''}\n${lines.join('\n')}`), render, '')
  })
}

const namesIn = (joined: string) => [...new Set(joined.split('+'))]

async function joined(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  let bytes = 0
  for await (const part of parts) {
    bytes += part.length
    if (bytes > MOST_BYTES) {
      throw new Failure(
        'unfit',
        `These bundles have more than ${MOST_BYTES / 2 ** 20} MiB of files, the maximum of one answer: request ` +
          'fewer of them, or an export.',
      )
    }
    all.push(part)
  }
  return joinBytes(all)
}
