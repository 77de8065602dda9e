/** A whole language as JSON: the rows of its bundles. */
import { Failure } from '../../bundle/errors.ts'
import { asBuffer } from '../../bundle/file-change.ts'
import { bundleAt } from '../../project/layout.ts'
import type { Project } from '../../project/project.ts'
import { joinBytes } from '../../scheduling/join-bytes.ts'
import type { PinnedState } from './pinned-state.ts'

/** Maximum bytes of the files of one answer. */
const MOST_BYTES = 2 ** 28

/**
 * Renders small files in slices and large ones in the worker, one at a time to bound memory.
 * @throws Failure `unfit` for a file that is no resource or too large an answer; `unavailable` as `BundleWorker.run`
 */
export async function renderLanguage(
  { slug, defaultFormat: format }: Project,
  language: string,
  namespaces: string[],
  pinned: PinnedState,
): Promise<Buffer> {
  const parts: Buffer[] = [Buffer.from(`{"language":${JSON.stringify(language)},"keys":[`)]
  let read = 0
  for (const namespace of namespaces) {
    let size = 0
    const rows = await pinned.compute('rows', snapshot => {
      const bytes = bundleAt(snapshot, { slug, language, namespace }).bytes()
      size = bytes.length
      if (read + size > MOST_BYTES) throw tooLarge(language)
      return { stored: { bytes, format }, namespace }
    })
    read += size
    if (rows.length > 0) parts.push(Buffer.from(parts.length > 1 ? ',' : ''), asBuffer(rows))
  }
  return joinBytes([...parts, Buffer.from(']}')])
}

const tooLarge = (language: string) =>
  new Failure(
    'unfit',
    `The language "${language}" has more than ${MOST_BYTES / 2 ** 20} MiB of files, the maximum for one answer: ` +
      'ask for some of its namespaces at a time.',
  )
