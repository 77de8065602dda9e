/** The CLI in a pseudo-terminal: its screen, and pressed keys. */
import { stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'
import type { Test } from 'tap'

export const ENTER = '\r'
export const DOWN = '\u001b[B'
export const LEFT = '\u001b[D'
export const ESCAPE = '\u001b'
export const CTRL_C = '\u0003'

export interface Seen {
  /** All that was printed so far, without colours and movements of the cursor. */
  text: () => string
  /** The same with them. */
  raw: () => string
  /**
   * Waits for a text after what was waited for before.
   * @throws Error with the whole screen if the process ends without it
   */
  until: (pattern: RegExp) => Promise<string>
  press: (keys: string) => void
  /** The exit code. */
  ended: Promise<number>
}

export interface Where {
  cwd: string
  env: Record<string, string>
  columns?: number
  /** What runs it in place of Node. */
  by?: string
}

/** Runs a program there; it is killed with the test at the latest. */
export function inTerminal(
  t: Test,
  program: string,
  words: string[],
  { cwd, env, columns = 100, by = process.execPath }: Where,
): Seen {
  const pty = spawn(by, [program, ...words], {
    name: env.TERM ?? 'xterm-256color',
    cols: columns,
    rows: 40,
    cwd,
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', TZ: 'UTC', ...env },
  })
  let raw = ''
  let from = 0
  let code: number | undefined
  let look = () => {}
  pty.onData(data => {
    raw += data
    look()
  })
  const ended = new Promise<number>(resolve => {
    pty.onExit(({ exitCode }) => {
      code = exitCode
      resolve(exitCode)
      look()
    })
  })
  t.teardown(() => code === undefined && pty.kill('SIGKILL'))
  const text = () => stripVTControlCharacters(raw).replaceAll('\r', '')
  const until = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      look = () => {
        const all = text()
        const found = pattern.exec(all.slice(from))
        if (found) from += found.index + found[0].length
        else if (code === undefined) return
        look = () => {}
        if (found) resolve(found[0])
        else reject(new Error(`ended with ${code} before ${pattern}:\n${all}`))
      }
      look()
    })
  return { text, raw: () => raw, until, press: keys => pty.write(keys), ended }
}
