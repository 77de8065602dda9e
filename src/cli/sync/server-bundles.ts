/** A project's bundles as its server has them: one export, read once, each bundle's file where it stands in it. */
import { blobId, EMPTY_BUNDLE_BYTES, parseResource, renderPlain } from '../../bundle/canonical.ts'
import { mayBeForm, peel } from '../../bundle/message.ts'
import { checkLanguage, checkNamespace } from '../../bundle/names.ts'
import { bundles as bundlesShape, resource, revision as revisionShape } from '../api/answers.ts'
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

/** @throws Problem for less than all of it, or for what is no export */
function bundlesIn(bytes: Buffer, where: string): Map<string, Buffer> {
  const found = asWritten(bytes)
  if (found) return withTexts(found, where)
  let whole: object
  try {
    whole = parseResource(bytes)
  } catch (error) {
    throw new Problem(`The export of ${where} ends before it is whole.`, { cause: error, hint: 'Try again.' })
  }
  const fault = bundlesShape(whole, '')
  if (fault !== undefined) throw new Problem(`The export of ${where} is none of Parlance: ${fault}.`)
  return new Map(
    Object.entries(whole as Of<typeof bundlesShape>).flatMap(([language, of]) =>
      Object.entries(of).map(([namespace, resource]) => [`${language}/${namespace}`, renderPlain(resource)] as const),
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

/** Bundles that were cut out and not read. @throws Problem for one that is no object of texts */
function withTexts(bundles: Map<string, Buffer>, where: string): Map<string, Buffer> {
  for (const [name, bytes] of bundles) {
    if (holdsTexts(bytes)) continue
    throw new Problem(`The export of ${where} has a bundle "${name}" that is no object of texts.`, { hint: UNTRUSTED })
  }
  return bundles
}

function holdsTexts(bytes: Buffer): boolean {
  try {
    return resource(JSON.parse(bytes.toString()), '') === undefined
  } catch {
    return false
  }
}

/** The last line of a file, which stands in none of its texts: these have their line breaks escaped. */
const LAST = Buffer.from('\n}')
const NEWLINE = 0x0a

/**
 * Finds the bundles by what the server puts between its files, in a tenth of the time that reading them takes. Where
 * that stood each gets the line break at its end, so that none is copied.
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
  for (let more = true; more; ) {
    if (language === '') {
      language = take() ?? ''
      if (language === '' || !skips('{')) return undefined
    }
    const namespace = take()
    const from = at
    if (skips('{\n')) at = bytes.indexOf(LAST, from) + LAST.length
    else if (!skips('{}')) return undefined
    if (namespace === undefined || at < from) return undefined
    bundles.set(`${language}/${namespace}`, bytes.subarray(from, at + 1))
    if (skips('}}')) more = false
    else if (skips('},')) language = ''
    else if (!skips(',')) return undefined
  }
  if (bytes.toString('latin1', at).trim() !== '') return undefined
  for (const bundle of bundles.values()) bundle[bundle.length - 1] = NEWLINE
  return bundles
}
