/** Settings with their origin: flags, then the environment, then parlance.config.json, then the file of `login`. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { usage } from '../problem.ts'
import type { Globals, Surroundings } from '../surroundings.ts'
import { credentialsFile, tokenFor, tokenFrom } from './credentials.ts'
import { CONFIG_FILE, type ParlanceConfig, readConfigFile } from './file.ts'
import { serverUrl, shownUrl } from './url.ts'

/** A setting and its origin: `--url`, `PARLANCE_URL`, `parlance.config.json`, `default`, … */
export interface Setting<T> {
  value: T
  origin: string
}

export interface Settings {
  /** The working folder, or that of `--cwd`. */
  cwd: string
  /** The folder of the app: the nearest one upwards with a config of ours or of i18next-cli. */
  root: Setting<string>
  url: Setting<URL | undefined>
  token: Setting<string | undefined>
  project: Setting<string | undefined>
  /** parlance.config.json; empty without one. */
  config: ParlanceConfig
}

/** In i18next-cli's order. */
export const I18NEXT_CONFIGS = ['i18next.config.ts', 'i18next.config.js', 'i18next.config.mjs', 'i18next.config.cjs']

/** The variable with a token for any server. */
export const TOKEN_VARIABLE = 'PARLANCE_TOKEN'

const NOWHERE = { value: undefined, origin: 'not set' }

/** @throws Problem (exit 2) with the wrong setting and the expected value */
export function readSettings({ cwd, env }: Pick<Surroundings, 'cwd' | 'env'>, globals: Globals): Settings {
  const from = resolve(cwd, globals.cwd ?? '.')
  if (!statSync(from, { throwIfNoEntry: false })?.isDirectory())
    throw usage(`--cwd must be a folder, not ${globals.cwd}.`)
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
  const stored = url && tokenFor(env, shownUrl(url))
  return stored === undefined ? NOWHERE : { value: stored, origin: credentialsFile(env) }
}

/** Searches upwards, at most to the folder of the repository: folders above it are not the app's. */
function rootOf(from: string): Setting<string> {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = [CONFIG_FILE, ...I18NEXT_CONFIGS].find(name => existsSync(join(folder, name)))
    if (found) return { value: folder, origin: `found ${relative(from, join(folder, found))}` }
    if (existsSync(join(folder, '.git')) || dirname(folder) === folder)
      return { value: from, origin: 'the working folder' }
  }
}
