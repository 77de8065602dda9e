/** Scans the work tree in small steps for what may differ from HEAD; notes on disk when it last did. */
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { glossaryPath, ORGANIZATION_GLOSSARY } from '../../project/glossary-file.ts'
import { classify } from '../../project/judge.ts'
import { localesPath, projectPath } from '../../project/project.ts'
import { isByLanguage, SIDECAR_NAMES, SIDECARS, sidecarFolder } from '../../project/sidecars/sidecars.ts'
import type { State } from '../../project/state.ts'
import { slices } from '../../scheduling/slices.ts'
import { createFolder, hasRunOut, renameFile, writeFile } from '../disk.ts'
import { readPlain } from './plain-file.ts'

/** Milliseconds of a slice and of the rest after it: a scan slows requests by at most a third of the processor. */
const SLICE_MS = 2
const REST_MS = 4

/** Sidecars that people may edit. */
const EDITED = SIDECAR_NAMES.filter(name => SIDECARS[name].isEdited)

/** A file system's clock may be this coarse. */
export const COARSE_MS = 2000

/** When the view last equalled HEAD, apart from `problems`. */
export interface ScanMarker {
  /** Milliseconds by the file system's clock: files changed later must be read. */
  at: number
  revision: string | null
  problems: string[]
}

/** The searched folder and state, and callbacks. */
export interface ScanOptions {
  root: string
  state: State
  /** Files unchanged since this time (as in {@link ScanMarker}) are not read; 0 reads all. */
  since: number
  /** Only this folder; `''` for everything. */
  within: string
  /** Gets a path that may differ from `state`: new, gone, changed, or no plain file. */
  suspect(path: string): void | Promise<void>
  stopped(): boolean
  /** Gets every existing folder that may hold files of ours. */
  visited(folder: string): void
}

/** Searches a work tree or a folder of it. @returns milliseconds of work, without the rests */
export async function scanWorkTree(options: ScanOptions): Promise<number> {
  const { root, state, since, within, stopped, suspect, visited } = options
  const pause = slices(SLICE_MS, () => delay(REST_MS))
  /** The only slug and language searched, if `within` names them: their neighbours are not even listed. */
  const [slugWithin, folderWithin, nameWithin] = within.split('/')
  const languageWithin = folderWithin === 'locales' ? nameWithin : undefined

  const file = async (path: string, entry: fs.Dirent | undefined, head: string | undefined) => {
    const plain = entry?.isFile() === true
    if (!(plain && head !== undefined && unchanged(join(root, path), head, since))) await suspect(path)
    await pause()
  }

  const filesOf = async (folder: string, isFolder: boolean) => {
    const files = isFolder ? await entries(root, folder, pause) : undefined
    if (files) visited(folder)
    const heads = new Map(state.list(folder).map(({ name, id }) => [name, id]))
    for (const name of new Set([...(files?.keys() ?? []), ...heads.keys()])) {
      const path = `${folder}/${name}`
      // Judging a name costs more than looking at its file; HEAD's names were judged when they came.
      const ours = heads.has(name) ? name.endsWith('.json') : classify(path) !== undefined
      if (ours) await file(path, files?.get(name), heads.get(name))
      else await pause()
    }
  }

  visited('')
  if (within === '') {
    const head = state.entry(ORGANIZATION_GLOSSARY)?.id
    const path = join(root, ORGANIZATION_GLOSSARY)
    const isSame = head === undefined ? !fs.existsSync(path) : unchanged(path, head, since)
    if (!isSame) await suspect(ORGANIZATION_GLOSSARY)
  }
  for (const [slug, isFolder] of await foldersIn(root, state, '', slugWithin, pause)) {
    if (stopped()) break
    const project = isFolder ? await entries(root, slug, pause) : undefined
    if (project) visited(slug)
    const [own, head] = [project?.get('project.json'), state.entry(projectPath(slug))?.id]
    if (own || head !== undefined) await file(projectPath(slug), own, head)
    const [glossary, stored] = [project?.get('glossary.json'), state.entry(glossaryPath(slug))?.id]
    if (glossary || stored !== undefined) await file(glossaryPath(slug), glossary, stored)
    // A search of one language leaves the sidecars out.
    for (const sidecar of languageWithin === undefined ? EDITED : []) {
      const folder = sidecarFolder(slug, sidecar)
      const isThere = project?.get(sidecar)?.isDirectory() === true
      if (!isByLanguage(sidecar)) {
        await filesOf(folder, isThere)
        continue
      }
      if (isThere) visited(folder)
      const languages = await foldersIn(isThere ? root : undefined, state, folder, undefined, pause)
      for (const [language, isFolder] of languages) await filesOf(`${folder}/${language}`, isFolder)
    }
    const locales = localesPath(slug)
    const isThere = project?.get('locales')?.isDirectory() === true
    const languages = await foldersIn(isThere ? root : undefined, state, locales, languageWithin, pause)
    if (isThere) visited(locales)
    for (const [language, isFolder] of languages) {
      if (stopped()) break
      await filesOf(`${locales}/${language}`, isFolder)
    }
    await pause()
  }
  return pause.worked()
}

/** Whether a file below real folders is unchanged since a time or still holds blob `id`. */
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

/** A folder's entries, a few at a time: there may be any number. Undefined for a missing or unreadable one. */
async function entries(
  root: string,
  folder: string,
  pause: () => Promise<void>,
): Promise<Map<string, fs.Dirent> | undefined> {
  let open: fs.Dir | undefined
  try {
    const found = new Map<string, fs.Dirent>()
    open = fs.opendirSync(join(root, folder), { bufferSize: 256 })
    for (let entry = open.readSync(); entry; entry = open.readSync()) {
      found.set(entry.name, entry)
      await pause()
    }
    return found
  } catch (error) {
    if (hasRunOut(error)) throw error
    return undefined
  } finally {
    open?.closeSync()
  }
}

/**
 * The folders in a folder, on the disk or in a state, and whether they are real.
 * @param root undefined when the folder is not on the disk
 * @param only the one asked for; without it all
 */
async function foldersIn(
  root: string | undefined,
  state: State,
  folder: string,
  only: string | undefined,
  pause: () => Promise<void>,
): Promise<Map<string, boolean>> {
  if (only) {
    const path = folder === '' ? only : `${folder}/${only}`
    return new Map([[only, root !== undefined && isFolder(join(root, path))]])
  }
  const ours = state.list(folder).filter(entry => entry.kind === 'tree')
  const found = root === undefined ? [] : [...((await entries(root, folder, pause))?.values() ?? [])]
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

/** The file of a {@link ScanMarker}. */
export class MarkerFile {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Undefined for a missing or unreadable file. */
  async read(): Promise<ScanMarker | undefined> {
    try {
      const { at, revision, problems } = JSON.parse(await fs.promises.readFile(this.#path, 'utf8'))
      return typeof at === 'number' && Array.isArray(problems)
        ? { at, revision: revision ?? null, problems }
        : undefined
    } catch {
      return undefined
    }
  }

  /** Not synced: a start without it reads every file. */
  async write(marker: ScanMarker): Promise<void> {
    await writeFile(`${this.#path}.tmp`, Buffer.from(JSON.stringify(marker)), false)
    await renameFile(`${this.#path}.tmp`, this.#path)
  }

  /** The file system's time, which may differ from ours, less what a coarse clock may hide. */
  async now(): Promise<number> {
    const path = `${this.#path}.tmp`
    await createFolder(dirname(path))
    await fs.promises.writeFile(path, '')
    const { ctimeMs } = await fs.promises.lstat(path)
    return ctimeMs - COARSE_MS
  }
}
