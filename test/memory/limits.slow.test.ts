/** The memory beyond its limits, and the death of its thread. */
import type { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { blobId } from '../../src/bundle/canonical.ts'
import { MemoryStore } from '../../src/memory/memory-store.ts'
import { TranslationMemory } from '../../src/memory/translation-memory.ts'
import type { State } from '../../src/project/state.ts'
import { Background } from '../../src/scheduling/background.ts'

const MEBIBYTE = 2 ** 20
const ROOMY = { organization: 64 * MEBIBYTE, all: 64 * MEBIBYTE }

/** A state of some files. */
function stateOf(organization: string, files: Record<string, object>) {
  const under = (folder: string) => Object.keys(files).filter(path => folder === '' || path.startsWith(`${folder}/`))
  const read = (path: string) => (files[path] ? Buffer.from(JSON.stringify(files[path])) : undefined)
  const idOf = (path: string) => blobId(read(path) ?? Buffer.from(JSON.stringify(under(path).map(name => files[name]))))
  const state: State = {
    organization,
    entry: path => {
      if (under(path).length === 0 && !files[path]) return undefined
      return { name: path.split('/').at(-1)!, kind: files[path] ? 'blob' : 'tree', id: idOf(path) }
    },
    list: folder => {
      const depth = folder === '' ? 0 : folder.split('/').length
      const names = new Set(under(folder).map(path => path.split('/')[depth]!))
      return [...names].map(name => state.entry(folder === '' ? name : `${folder}/${name}`)!)
    },
    read,
    namesLike: () => [],
  }
  return { organization, root: idOf(''), look: async <T>(use: (state: State) => T) => use(state) }
}

/** A project of some texts, each of a hundred characters. */
function project(slug: string, count: number): Record<string, object> {
  const texts = (word: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, `${at} ${word} `.repeat(20).slice(0, 100)]))
  return {
    [`${slug}/project.json`]: { name: slug, sourceLanguage: 'en', defaultFormat: 'i18next-json-flat' },
    [`${slug}/locales/en/common.json`]: { ...texts('source'), pay: 'Pay the invoice' },
    [`${slug}/locales/de/common.json`]: { ...texts('text'), pay: `Zahlen in ${slug}` },
  }
}

const QUERY = { source: 'Pay the invoice', from: 'en', to: 'de', projects: null, limit: 5 }

function open(t: Test, limits = ROOMY) {
  const logged: string[] = []
  const log = { info: () => {}, warn: () => {}, error: (_: object, message: string) => void logged.push(message) }
  const background = new Background(log)
  const memory = new TranslationMemory(log, background, { limits })
  t.teardown(async () => {
    await memory.close()
    await background.close()
  })
  /** Reads and searches, again when it was evicted meanwhile, as the route does. */
  const search = async (state: ReturnType<typeof stateOf>) => {
    for (let readings = 0; readings < 3; readings++) {
      t.equal(await memory.read(state, 'en', 'de'), true)
      const answer = await memory.search(state.organization, QUERY)
      if (answer) return answer
    }
    throw new Error('evicted each time')
  }
  return { memory, search, logged }
}

t.test('answers a search after the thread has ended', async t => {
  const { memory, search } = open(t)
  const state = stateOf('acme', project('web', 10))
  const started = new Promise<Worker>(resolve => process.once('worker', resolve))
  t.match(await search(state), { matches: [{ message: 'Zahlen in web' }], complete: true })
  await (await started).terminate()
  t.match(await search(state), { matches: [{ message: 'Zahlen in web' }], complete: true }, 'it reads all again')

  const next = new Promise<Worker>(resolve => process.once('worker', resolve))
  const { memory: other, search: searchOther } = open(t)
  const refused = t.rejects(other.read(state, 'en', 'de'), { code: 'unavailable', data: { retryAfter: 2 } })
  await (await next).terminate()
  await refused
  t.match(await searchOther(state), { matches: [{ message: 'Zahlen in web' }] })
  await memory.close()
  await t.rejects(memory.search('acme', QUERY), { code: 'unavailable' }, 'a closed one starts no thread')
})

t.test('evicts the least recently used organization, which is read again when it searches', async t => {
  const roomy = new MemoryStore(ROOMY)
  fill(roomy, 'acme', project('web', 2_000))
  roomy.search('acme', QUERY)
  const limits = { ...ROOMY, all: roomy.bytes * 1.5 }
  const { search } = open(t, limits)
  const states = ['acme', 'other', 'third'].map(organization => stateOf(organization, project(organization, 2_000)))
  for (const state of [...states, ...states]) {
    t.match(await search(state), { matches: [{ message: `Zahlen in ${state.organization}` }], complete: true })
  }

  const store = new MemoryStore(limits)
  const searched = (name: string) => store.search(name, QUERY) !== undefined
  for (const name of ['acme', 'other', 'third']) {
    fill(store, name, project('web', 2_000))
    t.ok(searched(name), name)
    t.ok(store.bytes <= limits.all, `${store.bytes} bytes`)
  }
  t.strictSame(['acme', 'other', 'third'].map(searched), [false, false, true])
  fill(store, 'large', project('web', 20_000))
  t.ok(searched('large'))
  t.strictSame(['third', 'large'].map(searched), [false, true], 'the only one may exceed the limit of all')
})

t.test('says that an organization has more texts than the memory holds', async t => {
  const { search } = open(t, { organization: MEBIBYTE, all: 64 * MEBIBYTE })
  const files = { ...project('a', 10), ...project('b', 4_000), ...project('c', 10) }
  const answer = await search(stateOf('acme', files))
  t.equal(answer.complete, false)
  t.ok(answer.matches.length > 0, 'with the matches of those that it holds')
  t.equal((await search(stateOf('acme', project('a', 10)))).complete, true, 'until there are fewer')

  const store = new MemoryStore({ organization: MEBIBYTE, all: 64 * MEBIBYTE })
  fill(store, 'acme', files)
  const complete = (projects: string[] | null) => store.search('acme', { ...QUERY, projects })?.complete
  t.strictSame([complete(null), complete(['a']), complete(['c'])], [false, true, false])
})

/** Loads files as the thread does. */
function fill(store: MemoryStore, organization: string, files: Record<string, object>): void {
  const slugs = [...new Set(Object.keys(files).map(path => path.split('/')[0]!))]
  const folders = slugs.flatMap(slug => ['en', 'de'].map(language => ({ project: slug, language, id: '1' })))
  const projects = slugs.map(slug => ({ slug, sourceLanguage: 'en' }))
  for (const folder of store.changed(organization, projects, folders)) {
    const bytes = Buffer.from(JSON.stringify(files[`${folder.project}/locales/${folder.language}/common.json`]))
    const file = { folder, namespace: 'common', id: '1', interpolation: undefined, bytes }
    store.put(organization, file, ['en', 'de'])
    store.loaded(organization, folder)
  }
}
