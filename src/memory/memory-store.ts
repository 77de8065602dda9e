/** The memories of all organizations within a bound of bytes, as the thread holds them: one function per request. */
import type { Interpolation } from '../bundle/placeholders.ts'
import { type MemoryFolder, type MemoryMatch, type MemoryQuery, OrganizationMemory } from './organization-memory.ts'

/** Bytes of memory, estimated. */
export interface MemoryLimits {
  organization: number
  all: number
}

/** A project, as far as the memory needs it. */
export interface MemoryProject {
  slug: string
  sourceLanguage: string
}

/** A file of a folder. */
export interface MemoryFile {
  folder: MemoryFolder
  namespace: string
  id: string
  interpolation: Interpolation | undefined
  bytes: Uint8Array
}

/** The result of a search. */
export interface MemoryAnswer {
  matches: MemoryMatch[]
  /** False: the memory holds a part of the organization's texts, or too many texts are alike to compare all. */
  complete: boolean
}

export class MemoryStore {
  /** The least recently used one first. */
  readonly #organizations = new Map<string, OrganizationMemory>()
  readonly #limits: MemoryLimits
  /** Bytes of files since the last count of all organizations. */
  #uncounted = 0

  constructor(limits: MemoryLimits) {
    this.#limits = limits
  }

  /** The bytes of all organizations, estimated. */
  get bytes(): number {
    return [...this.#organizations.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Forgets projects that are gone. @returns the folders to list, see `OrganizationMemory.changed` */
  changed(organization: string, projects: readonly MemoryProject[], folders: readonly MemoryFolder[]): MemoryFolder[] {
    const known = this.#organizations.get(organization) ?? new OrganizationMemory()
    this.#organizations.delete(organization)
    this.#organizations.set(organization, known)
    if (known.bytes > this.#limits.organization) known.dropOthers(folders.flatMap(({ language }) => language ?? []))
    return known.changed(new Map(projects.map(({ slug, sourceLanguage }) => [slug, sourceLanguage])), folders)
  }

  /** Removes files that a folder lost. @returns the namespaces of files to load */
  missing(organization: string, folder: MemoryFolder, files: ReadonlyMap<string, string>): string[] {
    return this.#organizations.get(organization)?.missing(folder, files) ?? []
  }

  /** Loads a file, unless the organization is at its limit. @param needed the languages that are not dropped for it */
  put(organization: string, { folder, bytes, ...file }: MemoryFile, needed: readonly string[]): void {
    const known = this.#organizations.get(organization)
    if (!known) return
    if (known.bytes > this.#limits.organization) known.dropOthers(needed)
    known.put(folder, file, known.bytes > this.#limits.organization ? null : bytes)
    this.#uncounted += bytes.length
    if (this.#uncounted > UNCOUNTED_BYTES) this.#evict()
  }

  loaded(organization: string, folder: MemoryFolder): void {
    this.#organizations.get(organization)?.loaded(folder)
  }

  /** @returns undefined when the organization was evicted meanwhile */
  search(organization: string, query: MemoryQuery): MemoryAnswer | undefined {
    const known = this.#organizations.get(organization)
    if (!known?.hasLanguages(query.from, query.to)) return undefined
    const { matches, comparedAll } = known.search(query)
    this.#evict()
    return { matches, complete: comparedAll && known.isComplete([query.from, query.to], query.projects) }
  }

  /** Evicts the least recently used organizations beyond the limit of all, but never the last one. */
  #evict(): void {
    this.#uncounted = 0
    let bytes = this.bytes
    for (const [name, memory] of this.#organizations) {
      if (bytes <= this.#limits.all || this.#organizations.size === 1) return
      bytes -= memory.bytes
      this.#organizations.delete(name)
    }
  }
}

/** Bytes of files between two counts of all organizations. */
const UNCOUNTED_BYTES = 2 ** 20
