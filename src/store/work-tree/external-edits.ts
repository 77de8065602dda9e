/** Commits people's edits of the work tree: a judged edit becomes a commit or a problem. */
import { blobId } from '../../bundle/canonical.ts'
import { Failure } from '../../bundle/errors.ts'
import {
  classify,
  inOrder,
  type JudgedFile,
  judgeFile,
  type RefusedFile,
  reason,
  reformat,
  sourceFirst,
} from '../../project/judge.ts'
import { bundlesOf, projectIn } from '../../project/layout.ts'
import type { Offload } from '../../project/offload.ts'
import { bundlePath, projectPath } from '../../project/project.ts'
import { refusedMoves } from '../../project/refused-moves.ts'
import { Overlay, type State } from '../../project/state.ts'
import type { Logger } from '../log.ts'
import { ObjectReader } from '../objects/objects.ts'
import type { Snapshot } from '../snapshot.ts'
import type { LastWritten } from './last-written.ts'
import { movesOnDisk } from './moves-on-disk.ts'
import { type FileReading, lookAtFile, readContent, type WorkTreeFile } from './plain-file.ts'

/** The callbacks into the rest of a {@link WorkTree}. */
export interface ExternalEditsOptions {
  root: string
  gitDir: string
  log: Logger
  written: LastWritten
  snapshot(): Snapshot
  /** Commits each file as its own external edit; resolves when all are durable. */
  adopt(changes: JudgedFile[]): Promise<void>
  compute: Offload
  /**
   * Puts HEAD's version in place of one of ours, or of those with ids `taken` (null: no file); within {@link alone}.
   */
  show(path: string, taken: readonly (string | null)[]): Promise<void>
  /** Runs `work` while nothing else looks at files or changes them. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Searches a folder again: its files may be judged otherwise now. */
  lookInto(folder: string): void
}

/** Bytes read before they are committed. */
const EDIT_BYTES = 16 * 1024 * 1024

/** An edit as it goes into HEAD, with the id found on disk. */
interface Edit extends JudgedFile {
  found: string | null
}

/** By project, the old paths of refused moves with the new ones. */
type RefusedMoves = Map<string, ReadonlyMap<string, string>>

/** Judges one work tree's files. While an edit is committed, its file is held in {@link LastWritten}. */
export class ExternalEdits {
  readonly #options: ExternalEditsOptions
  readonly #written: LastWritten
  /** HEAD's ids of commits against the rules, until the last good version is committed on top. */
  readonly #kept = new Map<string, string | null>()

  constructor(options: ExternalEditsOptions) {
    this.#options = options
    this.#written = options.written
  }

  holdBack(problems: RefusedFile[], good: State): void {
    const head = this.#options.snapshot()
    for (const { path, error } of problems) {
      this.#kept.set(path, head.entry(path)?.id ?? null)
      this.#written.hold(path, good.entry(path)?.id ?? null)
      this.#complain(path, error)
    }
  }

  /**
   * Commits resting files, projects first, since bundles are judged by them. Bundles follow even when that fails.
   * @throws Error when files could not be judged or committed, for no fault of theirs
   */
  async commit(paths: string[]): Promise<void> {
    const rest = paths.filter(path => classify(path)?.kind !== 'project')
    // Finding a file's project reads the repository, which may be damaged.
    const steps = [
      async () => this.#takeInAll(inOrder(this.#projectsOf(paths))),
      () => this.#takeInAll(sourceFirst(this.#options.snapshot(), this.#withSources(rest))),
    ]
    const failures: unknown[] = []
    for (const step of steps) await step().catch(error => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  /** The project files in the list, and those that its bundles wait for. */
  #projectsOf(paths: string[]): string[] {
    const projects = paths.filter(path => classify(path)?.kind === 'project')
    const head = this.#options.snapshot()
    for (const path of paths) {
      const place = classify(path)
      if (place === undefined || place.kind === 'project' || place.kind === 'misnamed') continue
      if (place.slug === undefined) continue
      if (projectIn(head, place.slug)) continue
      const project = projectPath(place.slug)
      if (!projects.includes(project) && this.#written.problem(project) === undefined) projects.push(project)
    }
    return projects
  }

  /** The files, and the source texts that HEAD lacks: a translation is judged by them. */
  #withSources(paths: string[]): string[] {
    const head = this.#options.snapshot()
    const sources = paths.flatMap(path => {
      const place = classify(path)
      if (place?.kind !== 'bundle') return []
      const language = projectIn(head, place.slug)?.sourceLanguage
      const source = language && bundlePath({ ...place, language })
      return source && head.entry(source) === undefined ? [source] : []
    })
    return [...new Set([...sources, ...paths])]
  }

  /**
   * Updates a file without a person's work. Only within {@link ExternalEditsOptions.alone}.
   * @returns false when the file does hold a person's work
   */
  async refresh(path: string, found: FileReading): Promise<boolean> {
    if (found.state === 'foreign') return false
    const id = found.state === 'missing' ? null : found.id
    const head = this.#options.snapshot().entry(path)?.id ?? null
    if (id === head && this.#kept.get(path) === id) return true
    this.#kept.delete(path)
    const written = this.#written.id(path)
    // Someone removed it, but HEAD has moved on since: the newer version comes back.
    const revived = id === null && head !== written
    const undone = id === written && this.#written.isHeld(path)
    if (id === head) this.#written.set(path, id)
    else if (undone || revived || this.#written.isRecovered(path, id)) await this.#options.show(path, [id])
    else return id === written
    return true
  }

  async #takeInAll(paths: string[]): Promise<void> {
    const waiting = [...paths]
    while (waiting.length > 0) {
      const before = this.#options.snapshot()
      const edits = await this.#options.alone(() => this.#judge(waiting))
      await this.#adopt(edits)
      for (const { path } of edits) await this.#projectChanged(path, before)
    }
  }

  /** Judges files from the front of the list, up to one batch of commits. */
  async #judge(waiting: string[]): Promise<Edit[]> {
    const edits: Edit[] = []
    const state = new Overlay(this.#options.snapshot())
    const moves: RefusedMoves = new Map()
    for (let bytes = 0; waiting.length > 0 && bytes < EDIT_BYTES; ) {
      const path = waiting.shift()!
      const found = await readContent(this.#options.root, path)
      if (await this.refresh(path, found)) continue
      if (found.state === 'foreign') this.#complain(path, found.error)
      else if (found.state === 'missing') await this.#judgeMissing(path, edits, moves)
      else bytes += await this.#judgeContent(path, found, state, edits)
    }
    for (const { path } of edits) this.#written.judged(path, undefined)
    return edits
  }

  async #judgeMissing(path: string, edits: Edit[], moves: RefusedMoves): Promise<void> {
    const head = this.#options.snapshot()
    const place = classify(path)
    const over = head.entry(path)?.id
    if (over === undefined) return
    const slug = path.slice(0, path.indexOf('/'))
    const refused = moves.get(slug) ?? (await this.#restoreRefused(slug))
    moves.set(slug, refused)
    if (refused.has(path)) return
    if (place?.kind !== 'project') {
      edits.push({ path, bytes: null, over, found: null })
      return
    }
    const bundles = bundlesOf(head, place.slug).map(bundlePath)
    const found = await Promise.all(bundles.map(bundle => lookAtFile(this.#options.root, bundle)))
    if (found.some(({ state }, at) => state !== 'missing' || refused.has(bundles[at]!))) {
      this.#options.log.warn(
        { path },
        'the file of a project was removed while its bundles are still there; it is restored',
      )
      await this.#options.show(path, [null])
      return
    }
    for (const bundle of bundles) {
      edits.push({ path: bundle, bytes: null, over: head.entry(bundle)?.id ?? null, found: null })
    }
    edits.push({ path, bytes: null, over, found: null })
  }

  /**
   * Restores the files of a project that a person moved to where they break the rules. All at once: after the first one
   * the folder of the project is there again, and no later look sees a move.
   * @returns their old paths with the new ones
   */
  async #restoreRefused(slug: string): Promise<ReadonlyMap<string, string>> {
    const { root, compute, log, show } = this.#options
    const head = this.#options.snapshot()
    const found = await movesOnDisk(root, head, slug)
    if (found.moves.size === 0) return new Map()
    const refused = await refusedMoves(head, found, compute)
    for (const [path, to] of refused) {
      log.warn({ path, to }, 'a file was moved to where it breaks the rules; it is restored')
      await show(path, [null])
    }
    return refused
  }

  /** @param state HEAD with what was judged before it @returns its size in bytes */
  async #judgeContent(path: string, found: WorkTreeFile, state: Overlay, edits: Edit[]): Promise<number> {
    const place = classify(path)
    if (place === undefined) return 0
    if (place.kind === 'misnamed') {
      this.#complain(path, place.error)
      return 0
    }
    const over = state.entry(path)?.id ?? null
    try {
      const base = this.#movedFrom(path, over) ?? null
      const bytes = await judgeFile(place, found.bytes, state, { base, compute: this.#options.compute })
      edits.push({ path, bytes, over, found: found.id })
      state.set(path, bytes)
      return bytes?.length ?? 0
    } catch (error) {
      // Failing to judge is not the file's fault.
      if (error instanceof Failure && error.code === 'unavailable') throw error
      this.#complain(path, reason(error))
      return 0
    }
  }

  /** The version an edit started from, when HEAD has another by now. */
  #movedFrom(path: string, head: string | null): Buffer | undefined {
    const written = this.#written.id(path)
    if (written === null || written === head) return undefined
    const objects = new ObjectReader(this.#options.gitDir)
    try {
      return objects.read(written)?.bytes
    } finally {
      objects.close()
    }
  }

  /** Recognizes bundles in their project's source language. */
  #isSource(): (edit: Edit) => boolean {
    const head = this.#options.snapshot()
    const sources = new Map<string, string | undefined>()
    return ({ path }) => {
      const place = classify(path)
      if (place?.kind !== 'bundle') return false
      const { slug, language } = place
      if (!sources.has(slug)) sources.set(slug, projectIn(head, slug)?.sourceLanguage)
      return sources.get(slug) === language
    }
  }

  async #adopt(edits: Edit[]): Promise<void> {
    if (edits.length === 0) return
    // The source first: translations edited beside it belong to its new text.
    const isSource = this.#isSource()
    for (const part of [edits.filter(isSource), edits.filter(edit => !isSource(edit))]) {
      await this.#options.adopt(part.map(({ path, bytes, over }) => ({ path, bytes, over })))
    }
    await this.#options.alone(async () => {
      for (const { path, bytes, found } of edits) {
        const taken = [found, this.#written.id(path)].filter(id => id !== null)
        // A person who went on meanwhile has edited, or removed, the committed version.
        this.#written.set(path, bytes && blobId(bytes))
        await this.#options.show(path, taken)
      }
    })
  }

  /** A new project lets its bundles be judged; a new format has them rewritten. */
  async #projectChanged(path: string, before: State): Promise<void> {
    const place = classify(path)
    if (place?.kind !== 'project') return
    const head = this.#options.snapshot()
    const now = projectIn(head, place.slug)
    if (!now) return
    const old = projectIn(before, place.slug)
    if (!old) this.#options.lookInto(place.slug)
    else if (old.defaultFormat !== now.defaultFormat)
      await this.#options.adopt(await reformat(head, now, this.#options.compute))
  }

  #complain(path: string, error: string): void {
    const known = this.#written.problem(path) === error
    this.#written.judged(path, error)
    if (!known)
      this.#options.log.warn({ path, error }, 'a file of the work tree breaks the rules and is left unchanged')
  }
}
