/** The bundles of a project, from one export of the server. */
import { blobId, EMPTY_BUNDLE_BYTES, parseResource, renderPlain } from '../../bundle/canonical.ts'
import { mayBeForm, peel } from '../../bundle/message.ts'
import { checkLanguage, checkNamespace } from '../../bundle/names.ts'
import { bundles as bundlesShape, resource as resourceShape, revision as revisionShape } from '../api/answers.ts'
import { type Api, projectPath } from '../api/client.ts'
import type { Of } from '../api/shape.ts'
import { shownUrl } from '../config/url.ts'
import type { Resource } from '../local/local-bundle.ts'
import { Problem } from '../problem.ts'

export interface ServerBundles {
  /** As `at` of a later request it gives the same bundles. */
  revision: string
  etag: string
  /** These bundles changed since this revision, and removed ones are empty. Undefined: all bundles. */
  since?: string
  /** Files by `de/common`. */
  bundles: Map<string, Buffer>
}

export interface ExportQuery {
  at?: string | undefined
  languages?: string[] | undefined
  namespaces?: string[] | undefined
  /** Only bundles that changed since this revision. Older servers send all. */
  since?: string | undefined
}

/**
 * @param known the entity tag of an earlier export
 * @returns undefined if the export did not change
 * @throws Problem also for a server that is too old to send the revision
 */
export async function readServer(
  api: Api,
  project: string,
  asked: ExportQuery = {},
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
    throw new Problem(`${where} is older than this CLI: its exports have no revision.`, {
      hint: 'Install the CLI of the server, from its /cli.',
    })
  }
  const fault = revisionShape(revision, '')
  if (fault !== undefined) throw new Problem(`${where} sends an invalid revision of its export: ${fault}.`)
  const since = headers['parlance-since'] === undefined ? {} : { since: asked.since! }
  const bundles = checked(bundlesIn(bytes, where), where)
  return { revision: revision as string, etag: headers.etag ?? '', bundles, ...since }
}

/** Adds the requested state to a problem of the server. */
function asOfThen(error: unknown, { at }: ExportQuery): unknown {
  if (at === undefined || !isUnknown(error) || error.message.includes(at)) return error
  return new Problem(error.message, { ...error.where, hint: `The request was for the state at ${at}.` })
}

/** Whether the server answered 404. */
export const isUnknown = (error: unknown): error is Problem =>
  error instanceof Problem && (error.where.data as { status?: number } | undefined)?.status === 404

/** The entity tag of a bundle on the server. A missing bundle has that of an empty one. */
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
    else if (typeof value !== 'string') throw new Problem(`The server has a value that is not a text: ${name}.`)
    else if (mayBeForm(name) && peel(name).kind !== 'text') formed.add(peel(name).key)
    else keys++
  }
  for (const key of formed) if (typeof members[key] !== 'string') keys++
  return keys
}

/** @throws Problem for an export that is incomplete or has another form */
function bundlesIn(bytes: Buffer, where: string): Map<string, Buffer> {
  const files = filesIn(bytes)
  if (files) return withTexts(files, where)
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

/** The last line of a canonical file. Texts do not contain it: their line breaks are escaped. */
const LAST_LINE = Buffer.from('\n}')
const NEWLINE = 0x0a

/**
 * Cuts the files out of an export: parsed and rendered again, names that are numbers would change their order, and the
 * entity tag. Each file gets its last line break in place of the sign behind it.
 * @returns undefined if the export is not written as Parlance does
 */
function filesIn(bytes: Buffer): Map<string, Buffer> | undefined {
  const files = new Map<string, Buffer>()
  let [at, language] = [1, '']
  const readName = () => {
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
      language = readName() ?? ''
      if (language === '' || !skips('{')) return undefined
    }
    const namespace = readName()
    const from = at
    if (skips('{\n')) at = bytes.indexOf(LAST_LINE, from) + LAST_LINE.length
    else if (!skips('{}')) return undefined
    if (namespace === undefined || at < from) return undefined
    files.set(`${language}/${namespace}`, bytes.subarray(from, at + 1))
    if (skips('}}')) more = false
    else if (skips('},')) language = ''
    else if (!skips(',')) return undefined
  }
  if (bytes.toString('latin1', at).trim() !== '') return undefined
  for (const file of files.values()) file[file.length - 1] = NEWLINE
  return files
}

/** @throws Problem for a file that is not an object of texts */
function withTexts(files: Map<string, Buffer>, where: string): Map<string, Buffer> {
  for (const [name, bytes] of files) {
    if (holdsTexts(bytes)) continue
    const sentence = `The export of ${where} has a bundle "${name}" that is not an object of texts.`
    throw new Problem(sentence, { hint: UNTRUSTED })
  }
  return files
}

function holdsTexts(bytes: Buffer): boolean {
  try {
    return resourceShape(JSON.parse(bytes.toString()), '') === undefined
  } catch {
    return false
  }
}

/**
 * Checks the names of bundles, which become paths of files.
 * @throws Problem for an invalid name, or for names that differ only in case
 */
function checked(bundles: Map<string, Buffer>, where: string): Map<string, Buffer> {
  const refuse = (sentence: string): never => {
    throw new Problem(sentence, { hint: UNTRUSTED })
  }
  const spelled = { language: new Map<string, string>(), namespace: new Map<string, string>() }
  const noteTwin = (kind: keyof typeof spelled, name: string) => {
    const twin = spelled[kind].get(name.toLowerCase()) ?? name
    if (twin !== name) refuse(`${where} has the ${kind}s "${twin}" and "${name}", which are the same on some disks.`)
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
    // A removed bundle is empty.
    if (EMPTY_BUNDLE_BYTES.equals(bytes)) continue
    noteTwin('language', language)
    noteTwin('namespace', namespace)
  }
  return bundles
}
