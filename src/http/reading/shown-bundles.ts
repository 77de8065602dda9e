/** The bytes of bundles in answers, with `?empty=omit`, and many bundles as one object. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { asBuffer } from '../../bundle/file-change.ts'
import { omitEmpty } from '../../bundle/omit-empty.ts'
import { workOf } from '../../bundle/work.ts'
import { bundleAt } from '../../project/layout.ts'
import type { BundleName } from '../../project/project.ts'
import type { Snapshot } from '../../store/store.ts'
import { askedAt } from '../requests/at.ts'
import { readWord } from '../requests/query.ts'
import { LARGE } from '../writing/change-runner.ts'
import { type PinnedState, pinnedStateOf } from './pinned-state.ts'

/** The query parameter `empty`, for `schema.querystring`. */
export const emptyParameter = z
  .literal('omit')
  .optional()
  .describe(
    'Leaves out texts and forms that are empty, so that i18next falls back for them (26 and older show `""` as it is). ' +
      'The `ETag` is then not that of the file, and fits no `If-Match`.',
  )

/** Whether `?empty=omit` is asked for. @throws Failure `invalid` for another value */
export function omitsEmpty(request: FastifyRequest): boolean {
  const form = 'omit: texts and forms that are empty are left out'
  return readWord(request, 'empty', ['omit'], form) !== undefined
}

/** A bundle without empty texts and forms. The worker computes a large one. */
export function omitted(bytes: Buffer, pinned: PinnedState, bundle: BundleName): Buffer | Promise<Buffer> {
  if (workOf(bytes) <= LARGE) return asBuffer(omitEmpty({ bytes }))
  return pinned.compute('omit', state => ({ bytes: bundleAt(state, bundle).bytes() })).then(asBuffer)
}

/** Reads bundles of one state one at a time, as the request asks. */
export class ShownBundles {
  readonly #pinned: PinnedState
  readonly #omits: boolean
  /** Present files are JSON; an old external commit may contain anything. */
  readonly #past: boolean

  constructor(request: FastifyRequest, snapshot: Snapshot) {
    this.#pinned = pinnedStateOf(request, snapshot)
    this.#omits = omitsEmpty(request)
    this.#past = askedAt(request) !== undefined
  }

  /** The file, or the file without empty texts. @throws Failure `unfit` when that cannot be computed */
  async bytes(bundle: BundleName): Promise<Buffer> {
    const bytes = await this.#pinned.look(state => bundleAt(state, bundle).bytes())
    return this.#omits ? omitted(bytes, this.#pinned, bundle) : bytes
  }

  /** As {@link bytes}, for use inside of other JSON. @throws Failure `unfit` for no JSON object */
  async json(bundle: BundleName): Promise<Buffer> {
    const bytes = await this.bytes(bundle)
    if (this.#past) await this.#pinned.compute('resource', () => ({ bytes }))
    const start = bytes[0] === 0xef ? 3 : 0
    return bytes.subarray(start, bytes.at(-1) === 0x0a ? -1 : undefined)
  }

  /**
   * `{ language: { namespace: resource } }` piece by piece from the stored bytes.
   * @throws Failure as {@link json}
   */
  async *composed(slug: string, languages: Iterable<[string, readonly string[]]>): AsyncGenerator<Buffer> {
    let before = '{'
    for (const [language, namespaces] of languages) {
      before += `${JSON.stringify(language)}:{`
      for (const [at, namespace] of namespaces.entries()) {
        yield Buffer.from(`${before}${at === 0 ? '' : ','}${JSON.stringify(namespace)}:`)
        yield await this.json({ slug, language, namespace })
        before = ''
        await this.#pinned.pause()
      }
      before += '},'
    }
    yield Buffer.from(before === '{' ? '{}\n' : `${before.slice(0, -1)}}\n`)
  }
}
