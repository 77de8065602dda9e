/** A project's bundles as its server has them: one export, read once, each bundle's file where it stands in it. */
import { blobId, EMPTY_BUNDLE_BYTES, parseResource, renderPlain } from '../../bundle/canonical.ts'
import { mayBeForm, peel } from '../../bundle/message.ts'
import { checkLanguage, checkNamespace } from '../../bundle/names.ts'
import { bundles as bundlesShape, revision as revisionShape } from '../api/answers.ts'
import { type Api, projectPath } from '../api/client.ts'
import type { Of } from '../api/shape.ts'
import { shownUrl } from '../config/url.ts'
import type { Resource } from '../local/types.ts'
import { Problem } from '../problem.ts'

/** See the top of the file. */
export interface ServerBundles {
  /** The state that it is; asked for as `at`, the same comes again. */
  revision: string
  etag: string
  /** The revision from which these bundles differ; those that are gone are empty. Undefined: they are all that there are. */
  since?: string
  /** Files by `de/common`. */
  bundles: Map<string, Buffer>
}

/** What is asked for. */
export interface Asked {
  at?: string | undefined
  languages?: string[] | undefined
  namespaces?: string[] | undefined
  /** Only what differs from this revision; older servers give all. */
  since?: string | undefined
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
  const query = {
    format: 'json',
    at: asked.at,
    since: asked.since,
    language: asked.languages,
    namespace: asked.namespaces,
  }
  const sending = { query, ...(known !== undefined && { accept: [200, 304], ifNoneMatch: known }) }
  const { status, headers, bytes } = await api.bytes(projectPath(project, 'export'), sending).catch(error => {
    throw asOfThen(error, asked)
  })
  if (status === 304) return undefined
  const revision = headers['parlance-revision']
  const where = shownUrl(api.url)
  if (revision === undefined) {
    throw new Problem(`${where} is older than this command: its exports do not say of which revision they are.`, {
      hint: 'Take the command that the server hands out, at its /cli.',
    })
  }
  const fault = revisionShape(revision, '')
  if (fault !== undefined)
    throw new Problem(`${where} names a revision of its export otherwise than Parlance: ${fault}.`)
  const since = headers['parlance-since'] === undefined ? {} : { since: asked.since! }
  const bundles = checked(bundlesIn(bytes, where), where)
  return { revision: revision as string, etag: headers.etag ?? '', bundles, ...since }
}

/** Says what the server does not: that there was no such project, language or namespace then. */
function asOfThen(error: unknown, { at }: Asked): unknown {
  if (at === undefined || !isUnknown(error) || error.message.includes(at)) return error
  return new Problem(error.message, { ...error.where, hint: `It was asked for as of ${at}.` })
}

/** Whether a server has nothing by the name that was asked for. */
export const isUnknown = (error: unknown): error is Problem =>
  error instanceof Problem && (error.where.data as { status?: number } | undefined)?.status === 404

/** The entity tag that the server has for a bundle; for one that is not there that of an empty one. */
export const tagOf = (bytes: Buffer | undefined): string => `W/"${blobId(bytes ?? EMPTY_BUNDLE_BYTES)}"`

/**
 * The number of a bundle's keys; a plural is one.
 * @throws Problem for a value that is neither a text nor an object
 */
export const keysOf = (bytes: Buffer): number => keysIn(parseResource(bytes) as Resource)

function keysIn(members: Resource): number {
  let keys = 0
  const formed = new Set<string>()
  for (const name in members) {
    const value = members[name]
    if (typeof value === 'object' && value !== null) keys += keysIn(value as Resource)
    else if (typeof value !== 'string') throw new Problem(`The server has a value that is no text: ${name}.`)
    else if (mayBeForm(name) && peel(name).kind !== 'text') formed.add(peel(name).key)
    else keys++
  }
  for (const key of formed) if (typeof members[key] !== 'string') keys++
  return keys
}

/** @throws Problem for an export that is incomplete or has another form */
function bundlesIn(bytes: Buffer, where: string): Map<string, Buffer> {
  let languages: object
  let fault: string | undefined
  try {
    languages = parseResource(bytes)
    // Deep nesting overflows the stack of either.
    fault = bundlesShape(languages, '')
  } catch (error) {
    throw new Problem(`The export of ${where} is not complete JSON.`, { cause: error, hint: 'Try again.' })
  }
  if (fault !== undefined) {
    throw new Problem(`The export of ${where} is not one of Parlance: ${fault}.`, { hint: UNTRUSTED })
  }
  return new Map(
    Object.entries(languages as Of<typeof bundlesShape>).flatMap(([language, namespaces]) =>
      Object.entries(namespaces).map(([name, resource]) => [`${language}/${name}`, renderPlain(resource)] as const),
    ),
  )
}

const UNTRUSTED = 'Nothing was written. Check the address of the server.'

/**
 * The same bundles. Their names become paths of files: a server that cannot be trusted must not choose these.
 * @throws Problem for a name that no server of ours has, for names that some disks take for one, and for no bundle
 */
function checked(bundles: Map<string, Buffer>, where: string): Map<string, Buffer> {
  const refuse = (sentence: string): never => {
    throw new Problem(sentence, { hint: UNTRUSTED })
  }
  const spelled = { language: new Map<string, string>(), namespace: new Map<string, string>() }
  const noteTwin = (kind: keyof typeof spelled, name: string) => {
    const twin = spelled[kind].get(name.toLowerCase()) ?? name
    if (twin !== name) refuse(`${where} has the ${kind}s "${twin}" and "${name}", which some disks take for one.`)
    spelled[kind].set(name.toLowerCase(), name)
  }
  for (const [name, bytes] of bundles) {
    const [language = '', ...rest] = name.split('/')
    const namespace = rest.join('/')
    try {
      checkLanguage(language)
      checkNamespace(namespace)
    } catch (error) {
      refuse(`The server names a bundle "${name}": ${(error as Error).message}`)
    }
    // What is gone is empty.
    if (EMPTY_BUNDLE_BYTES.equals(bytes)) continue
    noteTwin('language', language)
    noteTwin('namespace', namespace)
  }
  return bundles
}
