/** The scenario of the fault tests: writes of every kind, seals, work tree, releases, git reads, and their checks. */
import { join } from 'node:path'
import { Failure } from '../../../src/bundle/errors.ts'
import type { Release } from '../../../src/store/releases.ts'
import { Releases } from '../../../src/store/releases.ts'
import { Store } from '../../../src/store/store.ts'
import { commitCount, fsck } from '../../store/git-cli.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }
const PROJECT = '{\n  "defaultFormat": "i18next-json",\n  "name": "Web",\n  "sourceLanguage": "en"\n}\n'
export const path = (namespace: string) => `web/locales/de/${namespace}.json`
const PATHS = ['common', 'a', 'b', 'c', 'large', 'gone', 'last'].map(path)
const bundle = (text: string) => `{\n  "a": "${text}"\n}\n`

/** What was acknowledged, and hence must be there. */
export interface Model {
  files: Map<string, string>
  releases: Set<string>
  commits: number
}

export function openStore(directory: string): Promise<Store> {
  return Store.open({ directory, watch: false, maintenance: false })
}

let serial = 0

/** One organization as a user sees it, and what is known of it. */
export class Scene {
  readonly model: Model
  readonly store: Store
  readonly organization: string
  readonly #releases: Releases

  constructor(
    store: Store,
    organization = 'acme',
    model: Model = { files: new Map(), releases: new Set(), commits: 0 },
  ) {
    this.store = store
    this.organization = organization
    this.model = model
    this.#releases = new Releases(store)
  }

  /** The same organization in a store on a copy of the folder. */
  over(store: Store): Scene {
    return new Scene(store, this.organization, structuredClone(this.model))
  }

  /** Writes a file with a unique text, so that a refused write can be recognized. */
  async put(file: string, filler = ''): Promise<void> {
    const text = file.endsWith('project.json') ? PROJECT : bundle(`${++serial}${filler}`)
    await this.store.write(this.organization, ANN, tx => ({
      result: tx.put(file, Buffer.from(text)),
      message: { subject: `put ${file}` },
    }))
    this.model.files.set(file, text)
    this.model.commits++
  }

  /** Puts files in one write, step by step, as a push of many bundles does. */
  async putMany(files: string[]): Promise<void> {
    const texts = files.map((file): [string, string] => [file, bundle(`${file} ${++serial}`)])
    await this.store.write(this.organization, ANN, function* (tx) {
      for (const [file, text] of texts) {
        tx.put(file, Buffer.from(text))
        yield
      }
      return { result: undefined, message: { subject: `put ${files.length} files` } }
    })
    for (const [file, text] of texts) this.model.files.set(file, text)
    this.model.commits++
  }

  async remove(file: string): Promise<void> {
    await this.store.write(this.organization, ANN, tx => ({
      result: tx.remove(file),
      message: { subject: `remove ${file}` },
    }))
    if (this.model.files.delete(file)) this.model.commits++
  }

  async release(name: string): Promise<Release> {
    const release = await this.#releases.create(this.organization, ANN, { slug: 'web', name }, () => {})
    this.model.releases.add(name)
    return release
  }

  async withdraw(name: string): Promise<void> {
    await this.#releases.remove(this.organization, { slug: 'web', name }, () => {})
    this.model.releases.delete(name)
  }

  /** Reads the releases into the model when their outcome was left open. */
  async believeReleases(): Promise<void> {
    const releases = await this.#releases.list(this.organization, 'web', () => {})
    this.model.releases.clear()
    for (const { name } of releases) this.model.releases.add(name)
  }

  /** Everything that a store does for an organization, step by step. Each may be tried again when it was refused. */
  steps(): { name: string; run: () => Promise<unknown> }[] {
    const { store, organization } = this
    return [
      { name: 'write', run: () => this.put(path('common')) },
      { name: 'write a', run: () => this.put(path('a')) },
      { name: 'seal', run: () => store.flush(organization) },
      { name: 'large write', run: () => this.put(path('large'), 'x'.repeat(90_000)) },
      { name: 'write to be removed', run: () => this.put(path('gone')) },
      { name: 'release', run: () => this.release('v1') },
      { name: 'remove', run: () => this.remove(path('gone')) },
      { name: 'overwrite', run: () => this.put(path('common')) },
      { name: "git's own reading", run: () => store.readGit(organization, async () => {}) },
      { name: 'write many', run: () => this.putMany(['common', 'a', 'b', 'c'].map(path)) },
      { name: 'write b', run: () => this.put(path('b')) },
      { name: 'withdraw', run: () => this.withdraw('v1') },
      { name: 'release again', run: () => this.release('v2') },
      { name: 'write c', run: () => this.put(path('c')) },
      { name: 'last seal', run: () => store.flush(organization) },
    ]
  }

  /** The first state, sealed. */
  async begin(): Promise<this> {
    await this.put('web/project.json')
    await this.put(path('common'))
    await this.store.flush(this.organization)
    return this
  }

  /** Differences between the answers of a store and the model. */
  async differences(store = this.store): Promise<string[]> {
    const found = await store.read(this.organization, snapshot =>
      PATHS.map(file => [file, snapshot.read(file)?.toString()] as const),
    )
    const files = found.filter(([file, text]) => text !== this.model.files.get(file))
    const releases = await new Releases(store).list(this.organization, 'web', () => {})
    const names = releases.map(({ name }) => name).sort()
    return [
      ...files.map(
        ([file, text]) => `${file} is ${text?.slice(0, 40)} in place of ${this.model.files.get(file)?.slice(0, 40)}`,
      ),
      ...(names.join() === [...this.model.releases].sort().join() ? [] : [`the releases are ${names.join()}`]),
    ]
  }

  /** Faults on the disk of a closed organization. */
  faults(directory: string): string[] {
    const workTree = join(directory, this.organization)
    const found = fsck(workTree)
    const commits = commitCount(workTree)
    return [
      ...(found === '' ? [] : [`fsck: ${found}`]),
      ...(commits === this.model.commits ? [] : [`${commits} commits for ${this.model.commits} acknowledged writes`]),
    ]
  }
}

/** The failure of a call, undefined when it succeeded. @throws any other error, which callers must never see */
export async function outcomeOf(run: () => Promise<unknown>): Promise<Failure | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}
