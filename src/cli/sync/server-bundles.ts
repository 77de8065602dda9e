/** A project's bundles as its server has them: one export, read once, each bundle's JSON where it stands in it. */
import { blobId, EMPTY_BUNDLE_ID, parseBundle } from '../../bundle/canonical.ts'
import { type Member, membersOf } from '../../bundle/members.ts'
import { type Api, projectPath } from '../api/client.ts'
import { Problem } from '../problem.ts'

/** See the top of the file. */
export interface ServerBundles {
  /** The state that it is; asked for as `at`, the same comes again. */
  revision: string
  etag: string
  /** By `de/common` the file without its last line break. */
  bundles: Map<string, Buffer>
}

/** What is asked for. */
export interface Asked {
  at?: string | undefined
  languages?: string[] | undefined
  namespaces?: string[] | undefined
}

/**
 * @param known an entity tag that was had before
 * @returns undefined when it still holds
 * @throws Problem also when the server is too old to name the revision
 */
export async function readServer(
  api: Api,
  project: string,
  asked: Asked = {},
  known?: string,
): Promise<ServerBundles | undefined> {
  const query = { format: 'json', at: asked.at, language: asked.languages, namespace: asked.namespaces }
  const response = await api.stream(projectPath(project, 'export'), {
    query,
    accept: [200, 304],
    ...(known !== undefined && { ifNoneMatch: known }),
    // Brotli makes it a bit smaller, and the first byte waits for the last one to be compressed.
    headers: { 'accept-encoding': 'gzip' },
  })
  if (response.status === 304) {
    await response.body?.cancel()
    return undefined
  }
  const revision = response.headers.get('parlance-revision')
  if (revision === null) {
    await response.body?.cancel()
    throw new Problem('The server is older than this command: its exports do not say of which revision they are.', {
      hint: 'Take the command that the server hands out, at its /cli.',
    })
  }
  const bytes = Buffer.from(await response.arrayBuffer())
  return { revision, etag: response.headers.get('etag') ?? '', bundles: bundlesIn(bytes) }
}

/** The entity tag that the server has for a bundle; for one that is not there that of an empty one. */
export const tagOf = (bytes: Buffer | undefined): string =>
  `W/"${bytes === undefined ? EMPTY_BUNDLE_ID : blobId(Buffer.concat([bytes, LINE]))}"`

/** The number of a bundle's keys; a plural is one. */
export function keysOf({ bundles }: ServerBundles, name: string): number {
  const bytes = bundles.get(name)
  return bytes === undefined ? 0 : parseBundle(bytes, 'i18next-json').size
}

const LINE = Buffer.from('\n')

function bundlesIn(bytes: Buffer): Map<string, Buffer> {
  const bundles = new Map<string, Buffer>()
  for (const { name: language, members = [] } of languagesIn(bytes)) {
    for (const { name, from, to } of members) bundles.set(`${language}/${name}`, bytes.subarray(from, to))
  }
  return bundles
}

function languagesIn(bytes: Buffer): Member[] {
  try {
    const steps = membersOf(bytes, path => path.length === 1)
    for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value ?? []
  } catch (error) {
    throw new Problem('The export of the server ends before it is whole.', { cause: error, hint: 'Try again.' })
  }
}
