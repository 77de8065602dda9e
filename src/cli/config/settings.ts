/**
 * Where the settings of a command come from: flags, then the environment, then parlance.config.json, then what `login`
 * kept.
 */
import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { usage } from '../problem.ts'
import type { Globals, Surroundings } from '../surroundings.ts'
import { credentialsFile, tokenFor, tokenFrom } from './credentials.ts'
import { CONFIG_FILE, type ParlanceConfig, readConfigFile } from './file.ts'
import { serverUrl, shownUrl } from './url.ts'

/** A setting and what it comes from: `--url`, `PARLANCE_URL`, `parlance.config.json`, `default`, … */
export interface Setting<T> {
  value: T
  origin: string
}

/** See the top of the file. */
export interface Settings {
  /** The working folder, or what `--cwd` names. */
  cwd: string
  /** The folder of the app: the nearest one, from the working folder up, with a config of ours or of i18next-cli. */
  root: Setting<string>
  url: Setting<URL | undefined>
  token: Setting<string | undefined>
  project: Setting<string | undefined>
  /** What parlance.config.json says, empty where there is none. */
  config: ParlanceConfig
}

/** In the order that i18next-cli looks for them. */
export const I18NEXT_CONFIGS = ['i18next.config.ts', 'i18next.config.js', 'i18next.config.mjs', 'i18next.config.cjs']

/** The variable with a token for whatever server is meant. */
export const TOKEN_VARIABLE = 'PARLANCE_TOKEN'

const NOWHERE = { value: undefined, origin: 'not set' }

/** @throws Problem (exit 2) naming the wrong setting and what would be right */
export function readSettings({ cwd, env }: Pick<Surroundings, 'cwd' | 'env'>, globals: Globals): Settings {
  const from = resolve(cwd, globals.cwd ?? '.')
  if (!statSync(from, { throwIfNoEntry: false })?.isDirectory())
    throw usage(`--cwd must be a folder: ${globals.cwd} is none.`)
  const root = rootOf(from)
  const config = readConfigFile(root.value) ?? {}
  const first = (flag: 'url' | 'project'): Setting<string | undefined> => {
    const name = `PARLANCE_${flag.toUpperCase()}`
    if (globals[flag] !== undefined) return { value: globals[flag], origin: `--${flag}` }
    if (env[name]) return { value: env[name], origin: name }
    return config[flag] === undefined ? NOWHERE : { value: config[flag], origin: CONFIG_FILE }
  }
  const { value: address, origin } = first('url')
  const url = { value: address === undefined ? undefined : serverUrl(address, origin), origin }
  return { cwd: from, root, url, token: tokenOf(env, url.value), project: first('project'), config }
}

function tokenOf(env: Surroundings['env'], url: URL | undefined): Setting<string | undefined> {
  const origin = TOKEN_VARIABLE
  if (env[origin]?.trim()) return { value: tokenFrom(env[origin], origin), origin }
  const kept = url && tokenFor(env, shownUrl(url))
  return kept === undefined ? NOWHERE : { value: kept, origin: credentialsFile(env) }
}

/** Up to the folder of the repository, and not beyond it: what lies above belongs to somebody else. */
function rootOf(from: string): Setting<string> {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = [CONFIG_FILE, ...I18NEXT_CONFIGS].find(name => existsSync(join(folder, name)))
    if (found) return { value: folder, origin: `found ${relative(from, join(folder, found))}` }
    if (existsSync(join(folder, '.git')) || dirname(folder) === folder)
      return { value: from, origin: 'the working folder' }
  }
}
