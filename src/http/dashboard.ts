/** The dashboard: `GET /` and its files. Only files of the build are served. */
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addVary, idOf, sendUnchanged } from './answers/conditional.ts'
import { chosen } from './answers/encoding.ts'
import { nothingHere } from './answers/errors.ts'
import { asPage } from './answers/security-headers.ts'
import { buildWith, once } from './build.ts'

/** What a build may hold; others are not handed out. */
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.webp': 'image/webp',
  '.png': 'image/png',
}
/** Each name in this folder contains a hash of the content: any cache may store such a file for good. */
const HASHED = '/assets/'

interface File {
  id: string
  type: string
  plain: Buffer
  br?: Buffer
  gzip?: Buffer
}

/** What is compressed is there last. */
const folderOf = () => {
  const folder = buildWith('dashboard/index.html.br')
  return folder && join(folder, 'dashboard')
}

/**
 * Adds the routes, open to everybody. All files are read at the first request, so a later build beside this running
 * server changes nothing. Every other path answers in JSON.
 * @param find the folder of the build; undefined without one: these paths then answer 404
 */
export function dashboardRoutes(app: FastifyInstance, find: () => string | undefined = folderOf): void {
  const files = once(async () => {
    const folder = find()
    if (folder === undefined) throw nothingHere()
    return load(folder)
  })
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = request.url.split('?')
    const file = (await files()).get(path)
    if (file === undefined) throw nothingHere(path)
    send(reply, path, file)
    return reply
  }
  for (const path of ['/', '/icon.svg', `${HASHED}:file`]) app.get(path, { schema: { hide: true } }, handler)
}

function send(reply: FastifyReply, path: string, file: File): void {
  asPage(reply)
  reply.header('cache-control', path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache')
  addVary(reply, 'Accept-Encoding')
  if (sendUnchanged(reply, file.id)) return
  const coding = chosen(reply.request.headers['accept-encoding'])
  const coded = coding && file[coding]
  if (coded) reply.header('content-encoding', coding)
  reply.header('content-type', file.type).send(coded ?? file.plain)
}

/** The files of a build by path, each with what it was compressed to. */
async function load(folder: string): Promise<Map<string, File>> {
  const names = (await readdir(folder, { recursive: true })).map(name => name.replaceAll('\\', '/'))
  const present = new Set(names)
  const files = new Map<string, File>()
  for (const name of names) {
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    const bytes = (suffix: string) => readFile(join(folder, name + suffix))
    const plain = await bytes('')
    const file: File = { id: idOf(plain), type, plain }
    if (present.has(`${name}.br`)) file.br = await bytes('.br')
    if (present.has(`${name}.gz`)) file.gzip = await bytes('.gz')
    files.set(name === 'index.html' ? '/' : `/${name}`, file)
  }
  return files
}
