/** Searches for leaked secrets. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** The secrets by name: plain, and encoded as in headers, addresses and hex. */
export class Secrets {
  readonly words = new Map<string, string>()

  keep = (what: string, secret: string): string => {
    this.words.set(what, secret)
    this.words.set(`${what}, in base64`, Buffer.from(secret).toString('base64').replace(/=+$/, ''))
    this.words.set(`${what}, in hex`, Buffer.from(secret).toString('hex'))
    if (encodeURIComponent(secret) !== secret) this.words.set(`${what}, percent-encoded`, encodeURIComponent(secret))
    return secret
  }

  /** The names of the secrets in the bytes. @param except names to ignore */
  found = (bytes: Buffer | string, ...except: RegExp[]): string[] =>
    [...this.words]
      .filter(([what, secret]) => !except.some(one => one.test(what)) && bytes.includes(secret))
      .map(([what]) => what)
}

/** All files below a folder. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile())

/** All objects of a repository, unpacked. */
export const objectsOf = (repository: string): Buffer =>
  execFileSync('git', ['-c', 'safe.directory=*', '-C', repository, 'cat-file', '--batch-all-objects', '--batch'])

/** Reads the arguments of the processes of a server repeatedly. */
export function watchArguments(server: number) {
  const seen = new Set<string>()
  let stopped = false
  const looking = (async () => {
    while (!stopped) {
      for (const id of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
        try {
          const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${id}/stat`, 'latin1'))?.[1])
          if (Number(id) !== server && parent !== server) continue
          const words = readFileSync(`/proc/${id}/cmdline`, 'latin1')
          seen.add(words)
          // Of git only: a forked process before its exec has the environment of the server, as has the test compiler.
          if (/^git\b/.test(words)) seen.add(readFileSync(`/proc/${id}/environ`, 'latin1'))
        } catch {
          // The process has ended.
        }
      }
      await pause(5)
    }
  })()
  const stop = async () => {
    stopped = true
    await looking
    return [...seen]
  }
  return { stop, saw: (pattern: RegExp) => [...seen].some(words => pattern.test(words)) }
}
