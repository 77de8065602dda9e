/** What is kept for each server: the token of `parlance login`, or that PARLANCE_TOKEN may be sent to it. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { replaceFile } from '../local/replace-file.ts'
import { makeFolder } from '../local/write-files.ts'
import { Problem, usage } from '../problem.ts'
import type { Environment } from '../surroundings.ts'

/** A file that its owner alone can read. Servers are named as {@link shownUrl} has them. */
interface Credentials {
  tokens: Record<string, string>
  /** Servers to which a person lets PARLANCE_TOKEN go. */
  confirmed: string[]
}

/** Where it is: `XDG_CONFIG_HOME`, else the platform's place. */
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
export const tokenFor = (env: Environment, url: string): string | undefined => read(env).tokens[url]

/** Whether there was a login at a server, or a person confirmed it. @throws Problem (exit 2) as {@link tokenFor} */
export function isKnownServer(env: Environment, url: string): boolean {
  const { tokens, confirmed } = read(env)
  return Object.hasOwn(tokens, url) || confirmed.includes(url)
}

/** Keeps a token; the file is readable by its owner alone (0600). @throws Problem naming the file */
export async function keepToken(env: Environment, url: string, token: string): Promise<void> {
  const { tokens, confirmed } = read(env)
  await write(env, { tokens: { ...tokens, [url]: token }, confirmed })
}

/** Remembers that PARLANCE_TOKEN may be sent to a server. @throws Problem naming the file */
export async function confirmServer(env: Environment, url: string): Promise<void> {
  const { tokens, confirmed } = read(env)
  await write(env, { tokens, confirmed: [...confirmed, url] })
}

/** @returns what there was of the server */
export async function forgetServer(env: Environment, url: string): Promise<{ token: boolean; confirmed: boolean }> {
  const { tokens, confirmed } = read(env)
  const { [url]: token, ...others } = tokens
  const found = { token: token !== undefined, confirmed: confirmed.includes(url) }
  if (found.token || found.confirmed)
    await write(env, { tokens: others, confirmed: confirmed.filter(one => one !== url) })
  return found
}

function read(env: Environment): Credentials {
  const file = credentialsFile(env)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { tokens: {}, confirmed: [] }
    throw usage(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, { cause: error })
  }
  const credentials = parsed(text)
  if (credentials === undefined)
    throw usage(`${file} is no file of parlance.`, { hint: 'Remove it and run `parlance login` again.' })
  return credentials
}

function parsed(text: string): Credentials | undefined {
  try {
    const { tokens, confirmed = [] } = JSON.parse(text)
    const isText = (value: unknown) => typeof value === 'string'
    return Object.values(tokens).every(isText) && confirmed.every(isText) ? { tokens, confirmed } : undefined
  } catch {
    return undefined
  }
}

async function write(env: Environment, { tokens, confirmed }: Credentials): Promise<void> {
  const file = credentialsFile(env)
  const document = { tokens, ...(confirmed.length > 0 && { confirmed }) }
  try {
    makeFolder(dirname(file), 0o700)
    await replaceFile(file, Buffer.from(`${JSON.stringify(document, null, 2)}\n`), 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Problem(`${file} cannot be written (${code}).`, {
      cause: error,
      hint: 'Set PARLANCE_URL and PARLANCE_TOKEN instead.',
    })
  }
}
