/**
 * A git remote over HTTP with basic authentication, as people host one: `git http-backend` behind a little server,
 * which can be slow, away or rude.
 */
import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { git } from '../git-cli.ts'

export interface HttpRemote {
  /** The setting, with user name and password. */
  setting: string
  port: number
  /** Every request: method, path, and whether the right password came. */
  seen: { method: string; path: string; right: boolean }[]
  /** What it does with requests that are let in, before git gets them. */
  behave: (request: IncomingMessage, response: ServerResponse) => Promise<unknown> | unknown
  /** Ends every connection and listens no more. */
  away(): Promise<void>
  /** Listens again, on the same port. */
  back(): Promise<void>
}

/** Of this process alone: who looks for them among all processes must not find another test's. */
export const USER = `backup-user-${process.pid}`
export const PASSWORD = `s3cr3t/ of+the%remote ${process.pid}`

/** Starts it over `folder`, for repositories of the other function below. */
export async function startRemote(t: Test, folder: string): Promise<HttpRemote> {
  let server: Server
  const remote: HttpRemote = {
    setting: '',
    port: 0,
    seen: [],
    behave: () => {},
    away: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    back: () => listen(remote.port),
  }
  const listen = async (port: number) => {
    server = createServer((request, response) => void answer(remote, folder, request, response))
    await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  }
  await listen(0)
  t.teardown(() => server.close().closeAllConnections())
  remote.port = (server!.address() as AddressInfo).port
  remote.setting = `http://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${remote.port}/{organization}.git`
  return remote
}

/** Creates an empty repository that may be pushed to over HTTP. */
export function make(folder: string, id: string): string {
  const path = `${folder}/${id}.git`
  git('/', 'init', '--quiet', '--bare', '--initial-branch=main', path)
  git(path, 'config', 'http.receivepack', 'true')
  return path
}

async function answer(remote: HttpRemote, root: string, request: IncomingMessage, response: ServerResponse) {
  const { pathname, search } = new URL(request.url!, 'http://x')
  const wanted = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`
  const right = request.headers.authorization === wanted
  remote.seen.push({ method: request.method!, path: pathname, right })
  if (!right) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="backups"' }).end('who are you?')
    return
  }
  await remote.behave(request, response)
  if (response.writableEnded || response.destroyed) return
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      REMOTE_USER: USER,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  backend.stdin.on('error', () => {})
  request.pipe(backend.stdin)
  response.on('close', () => backend.kill('SIGKILL'))
  let head = Buffer.alloc(0)
  let begun = false
  backend.stdout.on('data', (data: Buffer) => {
    if (begun) return void response.write(data)
    head = Buffer.concat([head, data])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    begun = true
    const lines = head.subarray(0, end).toString().split('\r\n')
    const headers = lines.map(line => line.split(/: (.*)/).slice(0, 2) as [string, string])
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200'
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers.filter(([name]) => name !== 'Status')))
    response.write(head.subarray(end + 4))
  })
  backend.on('close', () => response.end())
}
