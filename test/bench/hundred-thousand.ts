/**
 * The repository that the benchmarks of history, clones and maintenance measure: 100,000 commits over 1,000 bundles,
 * written through the store.
 */
import type { Store } from '../../src/store/store.ts'

/** How many commits `--quick` asks for, and how many it is otherwise. */
export const COMMITS = process.argv.includes('--quick') ? 10_000 : 100_000

const PROJECTS = ['shop', 'web']
const LANGUAGES = 'ar bg cs da de el en es fi fr he hu it ja nl pl pt ru tr zh'.split(' ')
const NAMESPACES = 25
const KEYS = 250
const FILES = PROJECTS.length * LANGUAGES.length * NAMESPACES
/** Files that get four of five writes. */
const HOT = FILES / 20
const WRITERS = 64
/** Milliseconds between the dates of commits: 100,000 of them cover a month. */
const STEP_MS = 26_000
const START = Date.UTC(2024, 0, 1)
const WORDS = (
  'account add again all and are back basket buy cancel card cart change check close code confirm continue copy could date ' +
  'delete delivery details discount done edit email empty enter error every file filter find first follow for from go help ' +
  'here home image in invalid invite is item items language last later link list loading log log-in log-out mail map menu ' +
  'message more name new next no not of off offer on open order our page password pay payment phone please press price ' +
  'privacy product profile read remove reply reset retry save search select send settings share shipping show sign skip ' +
  'sort start step stop store success terms thanks the this time to today total try undo update upload user view wait was'
).split(' ')
/** Digits of the number at the end of every text: all versions of a bundle have one length. */
const DIGITS = 7

export const AUTHORS = ['Ann', 'Ben', 'Cleo', 'Dan'].map(name => ({ name, email: `${name.toLowerCase()}@example.com` }))

/** `mulberry32`: the same numbers from 0 to below 1 in every run, so that every run measures the same repository. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Place {
  slug: string
  language: string
  namespace: string
  path: string
}

/** Where the file of that number lies; the first 50 are the ones that are written all the time. */
export function placeOf(file: number): Place {
  // Neighbours differ in everything, so that the busy files are spread over projects and languages as in life.
  const slug = PROJECTS[file % PROJECTS.length]!
  const language = LANGUAGES[Math.floor(file / PROJECTS.length) % LANGUAGES.length]!
  const namespace = `ns${Math.floor(file / (PROJECTS.length * LANGUAGES.length))}`
  return { slug, language, namespace, path: `${slug}/locales/${language}/${namespace}.json` }
}

const keyName = (key: number) => `section${Math.floor(key / 25) + 10}.item${1000 + key}.label`

/** Canonical bytes of 250 keys in the flat format, about 20 KB that compress as translations do. */
function makeBundle(random: () => number): Buffer {
  const text = () =>
    Array.from({ length: 4 + Math.floor(random() * 9) }, () => WORDS[Math.floor(random() * WORDS.length)])
  const keys = Array.from({ length: KEYS }, (_, key) => [keyName(key), `${text().join(' ')} ${'0'.repeat(DIGITS)}`])
  return Buffer.from(`${JSON.stringify(Object.fromEntries(keys), null, 2)}\n`)
}

/** One write of a translator: the next version of a bundle, with one changed text. */
export interface Edit extends Place {
  key: string
  bytes: Buffer
}

/** What the writers do, one edit after the other; the first 1,000 create the files. */
export class Edits {
  /** The clock of the commits: pass it to the store. */
  readonly now = () => START + this.#count * STEP_MS
  readonly #random = randomFrom(1)
  readonly #bundles: Buffer[] = []
  #count = 0

  next(): Edit {
    const number = this.#count++
    const key = Math.floor(this.#random() * KEYS)
    if (number < FILES) {
      this.#bundles.push(makeBundle(this.#random))
      return { ...placeOf(number), key: keyName(key), bytes: this.#bundles[number]! }
    }
    const file = Math.floor(this.#random() * (this.#random() < 0.8 ? HOT : FILES))
    const before = this.#bundles[file]!
    const bytes = Buffer.allocUnsafe(before.length)
    before.copy(bytes)
    const end = bytes.lastIndexOf('"', bytes.indexOf('\n', bytes.indexOf(`"${keyName(key)}"`)))
    bytes.write(String(number).padStart(DIGITS, '0'), end - DIGITS)
    this.#bundles[file] = bytes
    return { ...placeOf(file), key: keyName(key), bytes }
  }
}

/** Writes one edit through the store, as the API's write of one key does; resolves when it is acknowledged. */
export async function write(store: Store, organization: string, edit: Edit): Promise<string> {
  const { slug, language, namespace, path, key, bytes } = edit
  const subject = `${slug} ${language}/${namespace}: update ${key}`
  const trailers: [string, string][] = [
    ['Parlance-Project', slug],
    ['Parlance-Language', language],
    ['Parlance-Namespace', namespace],
    ['Parlance-Added', '0'],
    ['Parlance-Updated', '1'],
  ]
  const author = AUTHORS[key.charCodeAt(key.length - '0.label'.length)! % AUTHORS.length]!
  const { revision } = await store.write(organization, author, transaction => {
    transaction.read(path)
    transaction.put(path, bytes)
    return { result: undefined, message: { subject, trailers } }
  })
  return revision!
}

/**
 * Creates the projects, and writes with 64 writers until the branch has `commits`.
 * @param store with {@link Edits.now} as its clock
 * @param options.sealEvery commits of a pack
 */
export async function build(
  store: Store,
  organization: string,
  edits: Edits,
  { commits = COMMITS, sealEvery = Number.POSITIVE_INFINITY } = {},
): Promise<void> {
  for (const slug of PROJECTS) {
    const project = { defaultFormat: 'i18next-json-flat', name: slug, sourceLanguage: 'en' }
    await store.write(organization, AUTHORS[0]!, transaction => {
      transaction.put(`${slug}/project.json`, Buffer.from(`${JSON.stringify(project, null, 2)}\n`))
      return { result: undefined, message: { subject: `${slug}: create` } }
    })
  }
  for (let made = PROJECTS.length; made < commits; made += sealEvery) {
    let left = Math.min(sealEvery, commits - made)
    const writer = async () => {
      while (left-- > 0) await write(store, organization, edits.next())
    }
    await Promise.all(Array.from({ length: WRITERS }, writer))
    // A flush would bring git's index up to date each time, which costs more than the writes.
    await store.readGit(organization, async () => {})
  }
  await store.flush(organization)
}
