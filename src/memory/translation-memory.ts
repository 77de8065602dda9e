/**
 * The translation memory: similar texts of an organization with their translations, derived from the newest state.
 * A thread holds the texts and an index. A search first brings what changed since the last one.
 */
import type { Interpolation } from '../bundle/placeholders.ts'
import { namespacesOf, projectIn } from '../project/layout.ts'
import { bundlePath, languagePath, namespaceOf } from '../project/project.ts'
import { staleFolder, stalePath } from '../project/stale.ts'
import type { State } from '../project/state.ts'
import type { Background, BackgroundTask, Log } from '../scheduling/background.ts'
import { byteCache } from '../scheduling/byte-cache.ts'
import { slices } from '../scheduling/slices.ts'
import type { MemoryAnswer, MemoryLimits, MemoryProject } from './memory-store.ts'
import { MemoryThread } from './memory-thread.ts'
import type { MemoryFolder, MemoryQuery } from './organization-memory.ts'

/** An idle thread ends to free its memory. A large organization is read again in seconds. */
const IDLE_MS = 10 * 60_000
const LIMITS: MemoryLimits = { organization: 192 * 2 ** 20, all: 384 * 2 ** 20 }
/** Bytes of the lists of projects, and of the names of states, read last. */
const KNOWN_BYTES = 2 ** 20

/** An immutable state of an organization. */
export interface MemoryState {
  organization: string
  /** The tree id of its root. */
  root: string
  /** Runs `use` on the state; each call may load it again. */
  look: <T>(use: (state: State) => T) => Promise<T>
}

interface KnownProject extends MemoryProject {
  interpolation: Interpolation | undefined
}

export class TranslationMemory {
  readonly #thread: MemoryThread
  readonly #idle: BackgroundTask
  readonly #idleMs: number
  /** By organization: the reading under way. */
  readonly #reading = new Map<string, Promise<boolean>>()
  /** By organization: the state and the languages that the thread has, and whether any project has both. */
  readonly #latest = byteCache<{ name: string; hasBoth: boolean }>(KNOWN_BYTES)
  readonly #projects = byteCache<KnownProject[]>(KNOWN_BYTES)

  /** @param options for tests */
  constructor(
    log: Pick<Log, 'error'>,
    background: Background,
    { limits = LIMITS, idleMs = IDLE_MS }: { limits?: MemoryLimits; idleMs?: number } = {},
  ) {
    this.#thread = new MemoryThread(log, limits)
    this.#idleMs = idleMs
    this.#idle = background.task({
      name: 'freeing the translation memory',
      run: () => (this.#reading.size === 0 ? this.#thread.end() : this.#idleMs),
    })
  }

  /**
   * Reads what changed since the last call. One organization is read once at a time.
   * @returns whether the organization has both languages; without one there is nothing to search
   * @throws Failure `unavailable` when the thread ends; as `look`
   */
  read(state: MemoryState, from: string, to: string): Promise<boolean> {
    const { organization } = state
    this.#idle.in(this.#idleMs)
    const before = this.#reading.get(organization) ?? Promise.resolve()
    const reading = before.catch(() => {}).then(() => this.#readOnce(state, [from, to]))
    this.#reading.set(organization, reading)
    const end = () => {
      if (this.#reading.get(organization) === reading) this.#reading.delete(organization)
    }
    reading.then(end, end)
    return reading
  }

  /** Searches what {@link read} has read. @returns undefined when it was evicted meanwhile: read again */
  async search(organization: string, query: MemoryQuery): Promise<MemoryAnswer | undefined> {
    this.#idle.in(this.#idleMs)
    const answer = await this.#thread.call('search', organization, query)
    if (answer === undefined) this.#latest.delete(organization)
    return answer
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #readOnce(state: MemoryState, languages: [from: string, to: string]): Promise<boolean> {
    const { organization, root } = state
    const name = [root, ...languages].join(' ')
    const latest = this.#latest.get(organization)
    if (latest?.name === name) return latest.hasBoth
    const hasBoth = await this.#read(state, languages)
    this.#latest.set(organization, { name, hasBoth }, { size: 200 })
    return hasBoth
  }

  async #read(state: MemoryState, languages: [from: string, to: string]): Promise<boolean> {
    const { organization, look } = state
    const pause = slices()
    const projects = await this.#projectsOf(state)
    const folders: MemoryFolder[] = []
    const syntaxes = new Map(projects.map(({ slug, interpolation }) => [slug, interpolation]))
    for (const { slug: project, interpolation } of projects) {
      const syntax = syntaxOf(interpolation)
      const found = await look(state => [
        ...languages.map(language => ({ project, language, id: idOf(state, languagePath(project, language), syntax) })),
        { project, language: null, id: idOf(state, staleFolder(project), '') },
      ])
      folders.push(...found)
      await pause()
    }
    // A caller may name any language: the thread holds those only that there are.
    if (!languages.every(name => folders.some(({ language, id }) => language === name && id !== null))) return false
    const named = projects.map(({ slug, sourceLanguage }) => ({ slug, sourceLanguage }))
    for (const folder of await this.#thread.call('changed', organization, named, folders)) {
      await this.#load(state, folder, syntaxes.get(folder.project), languages)
      await pause()
    }
    return true
  }

  async #load(
    { organization, look }: MemoryState,
    folder: MemoryFolder,
    interpolation: Interpolation | undefined,
    languages: readonly string[],
  ): Promise<void> {
    const pause = slices()
    const syntax = syntaxOf(interpolation)
    const files = await look(state => filesOf(state, folder, syntax))
    for (const namespace of await this.#thread.call('missing', organization, folder, files)) {
      const bytes = (await look(state => state.read(pathOf(folder, namespace)))) ?? new Uint8Array()
      const file = { folder, namespace, id: files.get(namespace)!, interpolation, bytes }
      await this.#thread.call('put', organization, file, languages)
      await pause()
    }
    await this.#thread.call('loaded', organization, folder)
  }

  async #projectsOf({ organization, root, look }: MemoryState): Promise<KnownProject[]> {
    const name = `${organization} ${root}`
    const known = this.#projects.get(name)
    if (known) return known
    const pause = slices()
    const projects: KnownProject[] = []
    for (const { name: slug } of await look(state => state.list(''))) {
      const project = await look(state => projectIn(state, slug))
      if (project) projects.push({ slug, sourceLanguage: project.sourceLanguage, interpolation: project.interpolation })
      await pause()
    }
    this.#projects.set(name, projects, { size: projects.length * 200 + 200 })
    return projects
  }
}

/** The part of an id that says how placeholders are written. */
const syntaxOf = (interpolation: Interpolation | undefined): string =>
  interpolation ? JSON.stringify(interpolation) : ''

/** What a folder's content depends on: its tree, and how placeholders are written. */
function idOf(state: State, path: string, syntax: string): string | null {
  const entry = state.entry(path)
  return entry?.kind === 'tree' ? entry.id + syntax : null
}

/** The ids of a folder's files by namespace. */
function filesOf(state: State, { project, language }: MemoryFolder, syntax: string): Map<string, string> {
  const path = language === null ? staleFolder(project) : languagePath(project, language)
  const isShown = new Set(language === null ? [] : namespacesOf(state, project, language))
  const files = new Map<string, string>()
  for (const { name, kind, id } of state.list(path)) {
    const namespace = kind === 'blob' ? namespaceOf(name) : undefined
    if (namespace === undefined || (language !== null && !isShown.has(namespace))) continue
    files.set(namespace, id + syntax)
  }
  return files
}

const pathOf = ({ project, language }: MemoryFolder, namespace: string): string =>
  language === null ? stalePath(project, namespace) : bundlePath({ slug: project, language, namespace })
