/** The credentials file: tokens of `parlance login`, and servers that may get PARLANCE_TOKEN. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { replaceFile } from '../local/replace-file.ts'
import { makeFolder } from '../local/write-files.ts'
import { Problem, usage } from '../problem.ts'
import type { Environment } from '../surroundings.ts'

/** Only the owner can read the file. Servers are named by {@link shownUrl}. */
interface Credentials {
  tokens: Record<string, string>
  /** Servers that may get PARLANCE_TOKEN, by a person's answer. */
  confirmed: string[]
}

/** Its path: in `XDG_CONFIG_HOME`, else in the platform's folder. */
export function credentialsFile(env: Environment): string {
  const home = env.HOME || homedir()
  const windows = process.platform === 'win32' ? env.APPDATA : undefined
  return join(env.XDG_CONFIG_HOME || windows || join(home, '.config'), 'parlance', 'credentials.json')
}

/**
 * Checks a token.
 * @param origin for the message
 * @throws Problem (exit 2)
 */
export function tokenFrom(text: string, origin: string): string {
  const token = text.trim()
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token
  throw usage(`${origin} is not a token: a token is ASCII without spaces and line breaks.`)
}

/** @param url as of {@link shownUrl} @throws Problem (exit 2) for a damaged file */
export const tokenFor = (env: Environment, url: string): string | undefined => read(env).tokens[url]

/** Whether a login or a person's answer allows the server. @throws Problem (exit 2) for a damaged file */
export function isKnownServer(env: Environment, url: string): boolean {
  const { tokens, confirmed } = read(env)
  return Object.hasOwn(tokens, url) || confirmed.includes(url)
}

/** Stores a token. @throws Problem with the file */
export async function storeToken(env: Environment, url: string, token: string): Promise<void> {
  const { tokens, confirmed } = read(env)
  await write(env, { tokens: { ...tokens, [url]: token }, confirmed })
}

/** Allows to send PARLANCE_TOKEN to a server. @throws Problem with the file */
export async function confirmServer(env: Environment, url: string): Promise<void> {
  const { tokens, confirmed } = read(env)
  await write(env, { tokens, confirmed: [...confirmed, url] })
}

/** @returns the entries that were removed */
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
    throw usage(`${file} is not a credentials file of parlance.`, { hint: 'Remove it and run `parlance login` again.' })
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
