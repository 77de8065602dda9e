/** A project's bundles as its server has them: one export, read once, each bundle's JSON where it stands in it. */
import { blobId, EMPTY_BUNDLE_ID, parseResource } from '../../bundle/canonical.ts'
import { type Member, membersOf } from '../../bundle/members.ts'
import { mayBeForm, peel } from '../../bundle/message.ts'
import { type Api, projectPath } from '../api/client.ts'
import type { Resource } from '../local/types.ts'
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
  const { status, headers, bytes } = await api.bytes(projectPath(project, 'export'), {
    query,
    accept: [200, 304],
    ...(known !== undefined && { ifNoneMatch: known }),
  })
  if (status === 304) return undefined
  const revision = headers['parlance-revision']
  if (typeof revision !== 'string') {
    throw new Problem('The server is older than this command: its exports do not say of which revision they are.', {
      hint: 'Take the command that the server hands out, at its /cli.',
    })
  }
  return { revision, etag: headers.etag ?? '', bundles: bundlesIn(bytes) }
}

/** The entity tag that the server has for a bundle; for one that is not there that of an empty one. */
export const tagOf = (bytes: Buffer | undefined): string =>
  `W/"${bytes === undefined ? EMPTY_BUNDLE_ID : blobId(Buffer.concat([bytes, LINE]))}"`

/**
 * What a bundle says, and the number of its keys; a plural is one.
 * @throws Problem for what no server would send
 */
export function readBundle(bytes: Buffer): { resource: Resource; keys: number } {
  const resource = parseResource(bytes) as Resource
  return { resource, keys: keysIn(resource) }
}

function keysIn(members: Resource): number {
  let keys = 0
  const formed = new Set<string>()
  for (const [name, value] of Object.entries(members)) {
    if (typeof value === 'object' && value !== null) keys += keysIn(value as Resource)
    else if (typeof value !== 'string') throw new Problem(`The server has a value that is no text: ${name}.`)
    else if (mayBeForm(name) && peel(name).kind !== 'text') formed.add(peel(name).key)
    else keys++
  }
  for (const key of formed) if (typeof members[key] !== 'string') keys++
  return keys
}

const LINE = Buffer.from('\n')

function bundlesIn(bytes: Buffer): Map<string, Buffer> {
  const found = asWritten(bytes)
  if (found) return found
  const bundles = new Map<string, Buffer>()
  for (const { name: language, members = [] } of languagesIn(bytes)) {
    for (const { name, from, to } of members) bundles.set(`${language}/${name}`, bytes.subarray(from, to))
  }
  return bundles
}

/** The last line of a file, which stands in none of its texts: these have their line breaks escaped. */
const LAST = Buffer.from('\n}')

/**
 * Finds the bundles by what the server puts between its files, in a tenth of the time that reading them takes.
 * @returns undefined where something else stands there
 */
function asWritten(bytes: Buffer): Map<string, Buffer> | undefined {
  const bundles = new Map<string, Buffer>()
  let [at, language] = [1, '']
  const take = () => {
    const from = at
    at = bytes.indexOf('":', from) + 2
    return /^"([^"\\]+)$/.exec(bytes.toString('utf8', from, Math.max(from, at - 2)))?.[1]
  }
  const skips = (signs: string) => {
    const isNext = bytes.toString('latin1', at, at + signs.length) === signs
    if (isNext) at += signs.length
    return isNext
  }
  for (;;) {
    if (language === '') {
      language = take() ?? ''
      if (language === '' || !skips('{')) return undefined
    }
    const namespace = take()
    const to = bytes.indexOf(LAST, at) + LAST.length
    if (namespace === undefined || bytes.toString('latin1', at, at + 2) !== '{\n' || to < at) return undefined
    bundles.set(`${language}/${namespace}`, bytes.subarray(at, to))
    at = to
    if (skips('}}')) return bytes.toString('latin1', at).trim() === '' ? bundles : undefined
    if (skips('},')) language = ''
    else if (!skips(',')) return undefined
  }
}

function languagesIn(bytes: Buffer): Member[] {
  try {
    const steps = membersOf(bytes, path => path.length === 1)
    for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value ?? []
  } catch (error) {
    throw new Problem('The export of the server ends before it is whole.', { cause: error, hint: 'Try again.' })
  }
}
