/** Looks for secrets where they must not be. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** What is looked for, by what it is: the words themselves, and as headers, addresses and hex would have them. */
export class Secrets {
  readonly words = new Map<string, string>()

  keep = (what: string, secret: string): string => {
    this.words.set(what, secret)
    this.words.set(`${what}, in base64`, Buffer.from(secret).toString('base64').replace(/=+$/, ''))
    this.words.set(`${what}, in hex`, Buffer.from(secret).toString('hex'))
    if (encodeURIComponent(secret) !== secret) this.words.set(`${what}, percent-encoded`, encodeURIComponent(secret))
    return secret
  }

  /** Which of them there are. @param except by what they are */
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

/** The arguments of the server's own processes, seen again and again. */
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
          // Of git's alone: a process that has not yet become another program has the server's own, as has the compiler of the tests.
          if (/^git\b/.test(words)) seen.add(readFileSync(`/proc/${id}/environ`, 'latin1'))
        } catch {
          // It has ended.
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
