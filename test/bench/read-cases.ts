/** The reads that are measured: of Parlance, of the least that Node can do, of what teams build themselves, and of nginx where it is installed. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { cpuPerRequest, Running, request, scratch } from './harness.ts'
import { type Parlance, resourceOf, startParlance } from './parlance.ts'

const SIZES = { twenty: 225, 'two-hundred': 2250 }
const LISTS = { language: '/api/projects/web/bundles/en', manifest: '/api/projects/web', projects: '/api/projects' }
/** Of every answer its own; the rest is the same in all, and node:http has to write it too. */
const OWN = ['date', 'connection', 'keep-alive', 'etag', 'content-type', 'content-length', 'content-encoding']

/** A read of ours and the same one of another server. */
export interface Case {
  name: string
  /** Processor time per answer, in microseconds. */
  ours: () => Promise<number>
  theirs: () => Promise<number>
  /** How many of ours have to fit into one of theirs. */
  limit: number
}

/** One thing to read: where it is here and in the reference, and the tags that it has. */
interface Thing {
  path: string
  tag: string
  rawPath: string
  rawTag: string
  bytes: Buffer
}

/** Starts all servers; every one has the same things, which is checked. */
export async function readCases(): Promise<{ cases: Case[]; stop: () => Promise<void> }> {
  const folder = scratch()
  const parlance = await startParlance(join(folder, 'data'))
  const locales = join(folder, 'locales')
  fs.mkdirSync(join(locales, 'en'), { recursive: true })
  const { things, headers } = await fill(parlance, join(locales, 'en'))

  const references = join(import.meta.dirname, 'references')
  const files = Object.values(things).map(({ rawPath }) => join(locales, 'en', rawPath))
  const rawProgram = [process.execPath, join(references, 'raw-http.mjs'), parlance.key, JSON.stringify(headers)]
  const raw = await Running.start([...rawProgram, ...files])
  const diy = await Running.start([process.execPath, join(references, 'do-it-yourself.mjs'), locales])
  const nginx = await startNginx(folder, join(locales, 'en'))

  const token = { 'x-api-key': parlance.key }
  const brotli = { ...token, 'accept-encoding': 'gzip, deflate, br' }
  for (const { path, rawPath, bytes } of Object.values(things)) {
    await check(new URL(path, parlance.running.url), token, bytes)
    await check(new URL(rawPath, raw.url), token, bytes)
    if (nginx) await check(new URL(rawPath, nginx.url), {}, bytes)
  }

  const {
    twenty,
    'two-hundred': twoHundred,
    translated,
    language,
    manifest,
    projects,
  } = things as Record<string, Thing>
  const compare = (name: string, path: string, headers: Record<string, string>, status: number) => ({
    name,
    ours: () => cpuPerRequest(parlance.running, [request(path, headers)], status),
  })
  const whole = (name: string, { path, rawPath }: Thing, headers: Record<string, string> = token): Case => ({
    ...compare(`${name} / node:http`, path, headers, 200),
    theirs: () => cpuPerRequest(raw, [request(rawPath, headers)], 200),
    limit: 0.85,
  })
  const unchanged = (name: string, { path, tag, rawPath, rawTag }: Thing): Case => ({
    ...compare(`${name}, 304 / node:http`, path, { ...token, 'if-none-match': tag }, 304),
    theirs: () => cpuPerRequest(raw, [request(rawPath, { ...token, 'if-none-match': rawTag })], 304),
    limit: 0.8,
  })
  const doItYourself = (name: string, { path }: Thing, namespace: string, limit: number): Case => ({
    ...compare(`${name} / do it yourself`, path, token, 200),
    theirs: () => cpuPerRequest(diy, [request(`/locales?lng=en&ns=${namespace}`)], 200),
    limit,
  })
  const ofNginx = (name: string, { path, rawPath }: Thing, limit: number): Case[] => {
    if (nginx === undefined) return []
    const theirs = () => cpuPerRequest(nginx, [request(rawPath)], 200)
    return [{ ...compare(`${name} / nginx`, path, token, 200), theirs, limit }]
  }
  const cases = [
    unchanged('namespace', twenty!),
    whole('namespace, 20 KB', twenty!),
    whole('namespace, 20 KB brotli', twenty!, brotli),
    whole('namespace, 200 KB', twoHundred!),
    unchanged('namespace without what is empty', translated!),
    whole('namespace without what is empty, 20 KB', translated!),
    whole('namespace, 200 KB brotli', twoHundred!, brotli),
    unchanged('language', language!),
    whole('language', language!),
    unchanged('manifest', manifest!),
    whole('manifest', manifest!),
    unchanged('projects', projects!),
    whole('projects', projects!),
    doItYourself('namespace, 20 KB', twenty!, 'twenty', 2.5),
    doItYourself('namespace, 200 KB', twoHundred!, 'two-hundred', 15),
    ...ofNginx('namespace, 20 KB', twenty!, 0.5),
    ...ofNginx('namespace, 200 KB', twoHundred!, 0.85),
  ]
  const servers = [parlance.running, raw, diy, ...(nginx ? [nginx] : [])]
  return { cases, stop: async () => void (await Promise.all(servers.map(server => server.stop()))) }
}

/** Writes bundles to Parlance, and what it answers to a folder. */
async function fill(parlance: Parlance, folder: string) {
  let headers: Record<string, string> = {}
  const take = async (path: string, name: string): Promise<Thing> => {
    const answer = await parlance.call('GET', path)
    headers = Object.fromEntries([...answer.headers].filter(([header]) => !OWN.includes(header)))
    const bytes = Buffer.from(await answer.arrayBuffer())
    fs.writeFileSync(join(folder, name), bytes)
    const id = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
    return { path, tag: answer.headers.get('etag')!, rawPath: `/${name}`, rawTag: `W/"${id}"`, bytes }
  }
  const things: Record<string, Thing> = {}
  for (const [name, keys] of Object.entries(SIZES)) {
    await parlance.call('PUT', `/api/projects/web/bundles/en/${name}`, resourceOf(keys))
  }
  for (const name of Object.keys(SIZES))
    things[name] = await take(`/api/projects/web/bundles/en/${name}`, `${name}.json`)
  const waiting = '/api/projects/web/bundles/en/waiting'
  await parlance.call('PUT', waiting, { ...resourceOf(SIZES.twenty), waiting: '' })
  things.translated = await take(`${waiting}?empty=omit`, 'translated.json')
  for (const [name, path] of Object.entries(LISTS)) things[name] = await take(path, `${name}.list.json`)
  return { things, headers }
}

async function check(url: URL, headers: Record<string, string>, bytes: Buffer): Promise<void> {
  const answer = Buffer.from(await (await fetch(url, { headers })).arrayBuffer())
  if (!answer.equals(bytes)) throw new Error(`${url} answered something else`)
}

/** A static file server, undefined where it is not installed. */
async function startNginx(folder: string, root: string): Promise<Running | undefined> {
  if (spawnSync('nginx', ['-v']).error !== undefined) return undefined
  const port = await freePort()
  const place = join(folder, 'nginx')
  fs.mkdirSync(place)
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${place}/${name};`)
    .join('\n')
  fs.writeFileSync(
    join(place, 'nginx.conf'),
    `${user} worker_processes 1; pid ${place}/pid; error_log stderr crit; daemon off;
    events {}
    http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=100; ${paths}
      types { application/json json; } server { listen 127.0.0.1:${port}; root ${root}; } }`,
  )
  const command = `echo http://127.0.0.1:${port}; exec nginx -p ${place} -e stderr -c ${place}/nginx.conf`
  const running = await Running.start(['sh', '-c', command])
  for (let tries = 0; tries < 100; tries++) {
    const answered = await fetch(running.url).then(
      () => true,
      () => false,
    )
    if (answered) return running
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error('nginx does not answer')
}
