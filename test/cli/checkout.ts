/** A developer's checkout of an app, and the command run in this very process: a tenth of the time of one of its own. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Test } from 'tap'
import { DEVELOPERS } from '../../src/cli/developers.ts'
import { runProgram } from '../../src/cli/run.ts'
import type { Ended } from './command.ts'

/** What a run may have beside its words. */
export interface Running {
  env?: Record<string, string>
  stop?: AbortSignal
  /** Called before each request; what it does is done before that is sent. */
  before?: (request: { method: string; path: string }) => Promise<void> | void
  /** Called with what standard error and standard output get. */
  said?: (text: string) => void
}

/** What a run left; `requests` are those that it made, `GET /api/…?…`. */
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

  /** Runs a command line to its end. Not two at once: requests are noted at the process's `fetch`. */
  async run(words: string, { env, stop, before, said }: Running = {}): Promise<Left> {
    const [requests, real] = [[] as string[], globalThis.fetch]
    let [out, err] = ['', '']
    globalThis.fetch = async (input, init) => {
      const { pathname, search } = new URL(String(input))
      const method = init?.method ?? 'GET'
      requests.push(`${method} ${pathname}${search}`)
      await before?.({ method, path: `${pathname}${search}` })
      return real(input, init)
    }
    const stream = new PassThrough()
    try {
      const code = await runProgram(
        {
          words: words.match(/"[^"]*"|\S+/g)!.map(word => word.replaceAll('"', '')),
          env: { HOME: join(this.folder, '.home'), ...this.env, ...env },
          cwd: this.folder,
          version: () => '0.0.0',
          out: async text => {
            out += text
            said?.(text)
          },
          err: async text => {
            err += text
            said?.(text)
          },
          input: async function* () {},
          streams: { in: stream as never, out: stream as never, err: stream as never },
          stop: stop ?? new AbortController().signal,
        },
        DEVELOPERS,
      )
      let json: unknown
      try {
        json = JSON.parse(out)
      } catch {}
      return { code, out, err, json, requests }
    } finally {
      globalThis.fetch = real
    }
  }
}
