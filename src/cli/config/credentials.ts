/** The tokens that `parlance login` keeps: one file of its owner alone, a token for each server. */
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeFolder } from '../local/write-files.ts'
import { Problem, usage } from '../problem.ts'
import type { Environment } from '../surroundings.ts'

type Tokens = Record<string, string>

/** Where they are: `XDG_CONFIG_HOME`, else the platform's place. */
export function credentialsFile(env: Environment): string {
  const home = env.HOME || homedir()
  const windows = process.platform === 'win32' ? env.APPDATA : undefined
  return join(env.XDG_CONFIG_HOME || windows || join(home, '.config'), 'parlance', 'credentials.json')
}

/**
 * A token as it can be sent.
 * @param origin where it comes from, for the message
 * @throws Problem (exit 2)
 */
export function tokenFrom(text: string, origin: string): string {
  const token = text.trim()
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token
  throw usage(`${origin} is no token: one has no spaces, line breaks or signs beyond ASCII.`)
}

/** @param url as {@link shownUrl} makes it @throws Problem (exit 2) when the file is none of ours */
export const tokenFor = (env: Environment, url: string): string | undefined => readTokens(env)[url]

/** Keeps a token; the file is readable by its owner alone (0600). @throws Problem naming the file */
export function keepToken(env: Environment, url: string, token: string): void {
  writeTokens(env, { ...readTokens(env), [url]: token })
}

/** @returns whether there was one */
export function forgetToken(env: Environment, url: string): boolean {
  const { [url]: token, ...others } = readTokens(env)
  if (token !== undefined) writeTokens(env, others)
  return token !== undefined
}

function readTokens(env: Environment): Tokens {
  const file = credentialsFile(env)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw usage(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, { cause: error })
  }
  const tokens = parsed(text)
  if (tokens === undefined)
    throw usage(`${file} is no file of parlance.`, { hint: 'Remove it and run `parlance login` again.' })
  return tokens
}

function parsed(text: string): Tokens | undefined {
  try {
    const { tokens } = JSON.parse(text)
    return Object.values(tokens).every(token => typeof token === 'string') ? tokens : undefined
  } catch {
    return undefined
  }
}

function writeTokens(env: Environment, tokens: Tokens): void {
  const file = credentialsFile(env)
  const temporary = `${file}.${process.pid}.tmp`
  try {
    makeFolder(dirname(file), 0o700)
    writeFileSync(temporary, `${JSON.stringify({ tokens }, null, 2)}\n`, { mode: 0o600 })
    // Under a umask that a file of an earlier run may not have had.
    chmodSync(temporary, 0o600)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    const { code } = error as NodeJS.ErrnoException
    throw new Problem(`${file} cannot be written (${code}).`, { cause: error, hint: 'Set PARLANCE_TOKEN instead.' })
  }
}
