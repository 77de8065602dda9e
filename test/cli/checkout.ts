/** A developer's checkout of an app. The CLI runs in this process, in a tenth of the time of its own one. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { request } from '../../src/cli/api/request.ts'
import type { Ended, Parlance } from './command.ts'
import { type Around, command } from './in-process.ts'

/** What a run may have beside its words. */
export interface Running extends Pick<Around, 'env' | 'stop' | 'said' | 'send' | 'typed'> {
  /** Called before each request; what it does is done before that is sent. */
  before?: (request: { method: string; path: string }) => Promise<void> | void
}

/** The result of a run; `requests` are its requests, `GET /api/…?…`. */
export interface Left extends Ended {
  requests: string[]
}

/** See the top of the file. */
export class Checkout {
  readonly folder: string
  readonly env: Record<string, string>

  /** @param files by path; what is no text becomes JSON as i18next-cli writes it */
  constructor(t: Test, env: Record<string, string>, files: Record<string, unknown> = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'checkout-'))
    t.teardown(async () => (await import('node:fs/promises')).rm(this.folder, { recursive: true, force: true }))
    this.env = env
    for (const [path, content] of Object.entries(files)) this.write(path, content)
  }

  write(path: string, content: unknown): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true })
    writeFileSync(
      join(this.folder, path),
      typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`,
    )
  }

  text(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8')
  }

  // biome-ignore lint/suspicious/noExplicitAny: the tests judge its content
  read(path: string): any {
    return JSON.parse(this.text(path))
  }

  /** Each file's bytes and times, without our own. */
  look(): Record<string, string> {
    const paths = readdirSync(this.folder, { recursive: true, encoding: 'utf8' }).filter(path => !path.startsWith('.'))
    const files = paths.filter(path => statSync(join(this.folder, path)).isFile()).sort()
    return Object.fromEntries(
      files.map(path => [path, `${statSync(join(this.folder, path)).mtimeMs} ${this.text(path)}`]),
    )
  }

  /** Runs a command line to its end. */
  async run(words: string, { env, before, send = request, ...around }: Running = {}): Promise<Left> {
    const requests: string[] = []
    const noting: typeof request = async (url, what) => {
      const [method, path] = [what.method ?? 'GET', url.pathname + url.search]
      requests.push(`${method} ${path}`)
      await before?.({ method, path })
      return send(url, what)
    }
    const all = { HOME: join(this.folder, '.home'), ...this.env, ...env }
    const typed = words.match(/"[^"]*"|\S+/g)!.map(word => word.replaceAll('"', ''))
    const ended = await command(this.folder, typed, { env: all, send: noting, ...around })
    return { ...ended, requests }
  }
}

/** A checkout that was pulled to. */
export async function pulledTo(
  t: Test,
  env: Record<string, string>,
  files: Record<string, unknown>,
): Promise<Checkout> {
  const app = new Checkout(t, env, files)
  const { code, err } = await app.run('pull')
  t.equal(code, 0, err)
  return app
}

let serial = 0

/** A project of its own with bundles, `{ 'de/common': … }`, and what others do to it on the server. */
export async function newProject({ server, acme, env }: Parlance, bundles: Record<string, object> = {}) {
  const { key } = acme
  const slug = `web-${++serial}`
  const path = await server.project(key, slug)
  const put = (at: string, body: object) => server.must('PUT', `${path}/bundles/${at}?overwrite=true`, { key, body })
  for (const [at, body] of Object.entries(bundles)) await put(at, body)
  return {
    slug,
    path,
    env: { ...env, PARLANCE_PROJECT: slug },
    put,
    set: (at: string, value: unknown) => server.must('PUT', `${path}/bundles/${at}`, { key, body: { value } }),
    drop: (at: string) => server.must('DELETE', `${path}/bundles/${at}`, { key }),
    get: async (at: string) => (await server.get(`${path}/bundles/${at}`, key)).json,
    languages: async (): Promise<string[]> => (await server.get(path, key)).json.languages,
    commits: async () => (await server.get(`${path}/history`, key)).json.revisions,
    release: (name: string) => server.must('POST', `${path}/releases`, { key, body: { name } }),
    rename: (from: string, to: string) =>
      server.must('POST', `${path}/rename-key`, { key, body: { namespace: 'common', from, to } }),
    undo: (revision: string) => server.must('POST', `${path}/revert`, { key, body: { revision } }),
  }
}
