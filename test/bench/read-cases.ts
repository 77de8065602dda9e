/**
 * The reads that the benchmarks measure: of Parlance, of the least that Node can do, and of what teams build
 * themselves.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { cpuPerRequest, Running, request, scratch } from './harness.ts'
import { type Parlance, resourceOf, startParlance } from './parlance.ts'

const SIZES = { twenty: 225, 'two-hundred': 2250 }
/** Headers that differ by answer; the others are equal in all answers, and node:http must write them too. */
const OWN = ['date', 'connection', 'keep-alive', 'etag', 'content-type', 'content-length', 'content-encoding']

/** A read of ours and the same one of another server. */
export interface Case {
  name: string
  /** Processor time per answer, in microseconds. */
  ours: () => Promise<number>
  theirs: () => Promise<number>
  /** The least ratio of theirs to ours. */
  limit: number
}

/** A namespace: where it is here and in the reference, and its tags. */
interface NamespaceRead {
  path: string
  tag: string
  rawPath: string
  rawTag: string
  bytes: Buffer
}

/** Starts all servers, and checks that each has the same namespaces. */
export async function readCases(): Promise<{ cases: Case[]; stop: () => Promise<void> }> {
  const folder = scratch()
  const parlance = await startParlance(join(folder, 'data'))
  const locales = join(folder, 'locales')
  fs.mkdirSync(join(locales, 'en'), { recursive: true })
  const { namespaces, headers } = await fill(parlance, join(locales, 'en'))

  const references = join(import.meta.dirname, 'references')
  const files = Object.values(namespaces).map(({ rawPath }) => join(locales, 'en', rawPath))
  const rawProgram = [process.execPath, join(references, 'raw-http.mjs'), parlance.key, JSON.stringify(headers)]
  const raw = await Running.start([...rawProgram, ...files])
  const diy = await Running.start([process.execPath, join(references, 'do-it-yourself.mjs'), locales])

  const token = { 'x-api-key': parlance.key }
  const brotli = { ...token, 'accept-encoding': 'gzip, deflate, br' }
  for (const { path, rawPath, bytes } of Object.values(namespaces)) {
    await check(new URL(path, parlance.running.url), token, bytes)
    await check(new URL(rawPath, raw.url), token, bytes)
  }

  const { twenty, 'two-hundred': twoHundred } = namespaces as Record<string, NamespaceRead>
  const ours = (path: string, headers: Record<string, string>, status: number) => () =>
    cpuPerRequest(parlance.running, [request(path, headers)], status)
  const known = (tag: string) => ({ ...token, 'if-none-match': tag })
  const cases: Case[] = [
    {
      name: 'namespace, 304 / node:http',
      ours: ours(twenty!.path, known(twenty!.tag), 304),
      theirs: () => cpuPerRequest(raw, [request(twenty!.rawPath, known(twenty!.rawTag))], 304),
      limit: 0.8,
    },
    {
      name: 'namespace, 20 KB brotli / node:http',
      ours: ours(twenty!.path, brotli, 200),
      theirs: () => cpuPerRequest(raw, [request(twenty!.rawPath, brotli)], 200),
      limit: 0.85,
    },
    {
      name: 'namespace, 200 KB / do it yourself',
      ours: ours(twoHundred!.path, token, 200),
      theirs: () => cpuPerRequest(diy, [request('/locales?lng=en&ns=two-hundred')], 200),
      limit: 5,
    },
  ]
  const servers = [parlance.running, raw, diy]
  return { cases, stop: async () => void (await Promise.all(servers.map(server => server.stop()))) }
}

/** Writes namespaces to Parlance, and its answers to a folder. */
async function fill(parlance: Parlance, folder: string) {
  let headers: Record<string, string> = {}
  const namespaces: Record<string, NamespaceRead> = {}
  for (const [name, keys] of Object.entries(SIZES)) {
    const path = `/api/projects/web/bundles/en/${name}`
    await parlance.call('PUT', path, resourceOf(keys))
    const answer = await parlance.call('GET', path)
    headers = Object.fromEntries([...answer.headers].filter(([header]) => !OWN.includes(header)))
    const bytes = Buffer.from(await answer.arrayBuffer())
    fs.writeFileSync(join(folder, `${name}.json`), bytes)
    const id = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
    const [tag, rawTag] = [answer.headers.get('etag')!, `W/"${id}"`]
    namespaces[name] = { path, tag, rawPath: `/${name}.json`, rawTag, bytes }
  }
  return { namespaces, headers }
}

async function check(url: URL, headers: Record<string, string>, bytes: Buffer): Promise<void> {
  const answer = Buffer.from(await (await fetch(url, { headers })).arrayBuffer())
  if (!answer.equals(bytes)) throw new Error(`${url} answered something else`)
}
