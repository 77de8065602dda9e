/** Goes through the work tree and finds what may differ from HEAD, in small steps; remembers on disk when it last did. */
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { classify } from '../../project/judge.ts'
import { localesPath, projectPath } from '../../project/project.ts'
import type { State } from '../../project/state.ts'
import { hasRunOut, makeFolder } from '../disk.ts'
import { readPlain } from './plain-file.ts'

/** How long a step works, and rests before the next, so that requests hardly feel a scan. */
const STEP_MS = 2
const REST_MS = 4

/** What a file system's clock may leave out. */
export const COARSE_MS = 2000

/** When the view was last found equal to HEAD, apart from `problems`. */
export interface Marker {
  /** Milliseconds by the file system's clock: a file changed later must be looked into. */
  at: number
  /** The revision it equalled, null for none. */
  revision: string | null
  /** Files that broke the rules then. */
  problems: string[]
}

/** What is searched, and who hears of what is found. */
export interface Search {
  root: string
  state: State
  /** Files not changed after this time (as in {@link Marker}) count as looked into; 0 looks into all. */
  since: number
  /** Only what lies in this folder; `''` for everything. */
  within: string
  /** Gets a path that differs from `state` or may: a file that is new, gone, changed, or no plain file. */
  suspect(path: string): void | Promise<void>
  /** True when there is no need to go on. */
  stopped(): boolean
  /** Gets every folder that exists and may hold files of ours. */
  visited(folder: string): void
}

/** Searches a work tree or a folder of it; the time it took to work, without the rests, in milliseconds. */
export async function search(options: Search): Promise<number> {
  const { root, state, since, within, stopped, suspect, visited } = options
  let worked = 0
  let began = performance.now()
  const breathe = async () => {
    const spent = performance.now() - began
    if (spent < STEP_MS) return
    worked += spent
    await pause(REST_MS)
    began = performance.now()
  }
  /** The only slug and language that are searched, where `within` says so: their neighbours are not even listed. */
  const [slugWithin, , languageWithin] = within.split('/')

  const file = async (path: string, entry: fs.Dirent | undefined, head: string | undefined) => {
    const plain = entry?.isFile() === true
    if (!(plain && head !== undefined && unchanged(join(root, path), head, since))) await suspect(path)
    await breathe()
  }

  visited('')
  for (const [slug, isFolder] of foldersIn(root, state, '', slugWithin)) {
    if (stopped()) break
    const project = isFolder ? entries(root, slug) : new Map<string, fs.Dirent>()
    if (project.size > 0) visited(slug)
    const [own, head] = [project.get('project.json'), state.entry(projectPath(slug))?.id]
    if (own || head !== undefined) await file(projectPath(slug), own, head)
    const locales = localesPath(slug)
    const isThere = project.get('locales')?.isDirectory() === true
    const languages = foldersIn(isThere ? root : undefined, state, locales, languageWithin)
    if (isThere && languages.size > 0) visited(locales)
    for (const [language, isFolder] of languages) {
      const folder = `${locales}/${language}`
      if (stopped()) break
      const files = isFolder ? entries(root, folder) : new Map<string, fs.Dirent>()
      if (files.size > 0) visited(folder)
      const heads = new Map(state.list(folder).map(({ name, id }) => [name, id]))
      for (const name of new Set([...files.keys(), ...heads.keys()])) {
        const path = `${folder}/${name}`
        // Judging a name costs more than looking at its file, and HEAD's names were judged when they came.
        const ours = heads.has(name) ? name.endsWith('.json') : classify(path) !== undefined
        if (ours) await file(path, files.get(name), heads.get(name))
      }
    }
    await breathe()
  }
  return worked + performance.now() - began
}

/** Whether a file, none of whose folders is a link, has not changed since a time or still holds the blob `id`. */
function unchanged(path: string, id: string, since: number): boolean {
  try {
    const { ctimeMs, mtimeMs } = fs.lstatSync(path)
    if (Math.max(ctimeMs, mtimeMs) <= since) return true
    const content = readPlain(path)
    return content.state === 'content' && content.id === id
  } catch (error) {
    if (hasRunOut(error)) throw error
    return false
  }
}

/** What a folder holds; nothing for one that is not there or cannot be read. */
function entries(root: string, folder: string): Map<string, fs.Dirent> {
  try {
    return new Map(fs.readdirSync(join(root, folder), { withFileTypes: true }).map(entry => [entry.name, entry]))
  } catch (error) {
    if (hasRunOut(error)) throw error
    return new Map()
  }
}

/**
 * The folders in a folder, on the disk or in a state, and whether they are folders on the disk.
 * @param root undefined when the folder is none on the disk
 * @param only the one that is asked for; without it all of them
 */
function foldersIn(
  root: string | undefined,
  state: State,
  folder: string,
  only: string | undefined,
): Map<string, boolean> {
  if (only) {
    const path = folder === '' ? only : `${folder}/${only}`
    return new Map([[only, root !== undefined && isFolder(join(root, path))]])
  }
  const ours = state.list(folder).filter(entry => entry.kind === 'tree')
  const found = root === undefined ? [] : [...entries(root, folder).values()]
  const theirs = found.filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))
  return new Map([
    ...ours.map(({ name }) => [name, false] as const),
    ...theirs.map(({ name }) => [name, true] as const),
  ])
}

function isFolder(path: string): boolean {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}

/** The file in which a {@link Marker} is kept. */
export class MarkerFile {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Undefined when there is none, or none that can be read. */
  async read(): Promise<Marker | undefined> {
    try {
      const { at, revision, problems } = JSON.parse(await fs.promises.readFile(this.#path, 'utf8'))
      return typeof at === 'number' && Array.isArray(problems)
        ? { at, revision: revision ?? null, problems }
        : undefined
    } catch {
      return undefined
    }
  }

  /** Not synced: a start that finds none looks into every file. */
  async write(marker: Marker): Promise<void> {
    await fs.promises.writeFile(`${this.#path}.new`, JSON.stringify(marker))
    await fs.promises.rename(`${this.#path}.new`, this.#path)
  }

  /** The time by the file system's clock, which need not be ours, less what a coarse clock may hide. */
  async now(): Promise<number> {
    const path = `${this.#path}.new`
    await makeFolder(dirname(path))
    await fs.promises.writeFile(path, '')
    const { ctimeMs } = await fs.promises.lstat(path)
    return ctimeMs - COARSE_MS
  }
}
