/** A repeated status reads changed namespaces only, and its cache is bounded. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Counts } from '../../../src/bundle/status.ts'
import { PinnedState } from '../../../src/http/reading/pinned-state.ts'
import { StatusCache } from '../../../src/http/reading/status-cache.ts'
import { requireProject } from '../../../src/project/layout.ts'
import { parseProject, renderProject } from '../../../src/project/project.ts'
import { renderStale } from '../../../src/project/stale.ts'
import type { StatusPart } from '../../../src/project/status.ts'
import type { TreeEntry } from '../../../src/store/objects/tree.ts'
import type { Snapshot } from '../../../src/store/store.ts'
import { BundleWorker } from '../../../src/worker/worker.ts'
import { snapshotOf } from '../../store/memory-head.ts'

const LANGUAGES = ['de', 'en', 'fr', 'pl']
const NAMESPACES = ['a', 'b', 'c']
const all: StatusPart = { language: undefined, namespace: undefined }

const project = renderProject({ slug: 'web', name: 'Web', sourceLanguage: 'en', defaultFormat: 'i18next-json' })

function file(language: string, namespace: string, keys: number, first?: [key: string, text: string]): Buffer {
  const texts = Array.from({ length: keys }, (_, at) => [`key${100 + at}`, `${language} ${namespace} ${at} {{n${at}}}`])
  if (first !== undefined) texts[0] = first
  return Buffer.from(JSON.stringify(Object.fromEntries(texts)))
}

type Files = Record<string, Buffer>

function filesOf(keys: number): Files {
  const files: Files = { 'web/project.json': project }
  for (const language of LANGUAGES) {
    for (const namespace of NAMESPACES)
      files[`web/locales/${language}/${namespace}.json`] = file(language, namespace, keys)
  }
  return files
}

/** A cache, a function that reads a status through it, and the paths that it reads. */
function open(t: Test, limitBytes: number) {
  const worker = new BundleWorker({ error: () => {} })
  t.teardown(() => worker.close())
  const cache = new StatusCache(limitBytes)
  const reads = new Set<string>()
  const read = async (files: Files, organization = 'acme', part = all) => {
    reads.clear()
    const state = snapshotOf(files)
    const watched: Snapshot = {
      ...state,
      organization,
      read: path => {
        reads.add(path)
        return state.read(path)
      },
    }
    const left = new AbortController().signal
    const asked = { organization, project: requireProject(state, 'web'), left }
    const rows = await cache.of({ ...asked, pinned: new PinnedState(async use => use(watched), worker) }, part)
    return JSON.parse(JSON.stringify(rows)) as ({ language: string } & Counts)[]
  }
  return { cache, reads, read }
}

t.test('reads changed namespaces only', async t => {
  const { read, reads } = open(t, 2 ** 22)
  const files = filesOf(20)
  const first = await read(files)
  t.strictSame(
    first.map(({ language, keys, translated, problems }) => [language, keys, translated, problems]),
    LANGUAGES.map(language => [language, 60, 60, 0]),
  )
  t.equal(reads.size, 12, 'all files')
  await read(files)
  t.strictSame([...reads], [], 'nothing changed')

  const target = { ...files, 'web/locales/de/b.json': file('de', 'b', 15) }
  const second = await read(target)
  t.strictSame([...reads], ['web/locales/en/b.json', 'web/locales/de/b.json'], 'a translation and its source')
  t.match(second[0], { missing: 5, translated: 55, namespaces: [{}, { namespace: 'b', missing: 5 }, {}] })
  t.strictSame(second.slice(1), first.slice(1))

  const source = { ...target, 'web/locales/en/c.json': file('en', 'c', 10) }
  const third = await read(source)
  t.strictSame(
    [...reads].sort(),
    LANGUAGES.map(language => `web/locales/${language}/c.json`),
    'a source and its translations',
  )
  t.strictSame(
    third.map(({ language, keys, extra }) => [language, keys, extra]),
    LANGUAGES.map(language => [language, 50, language === 'en' ? 0 : 10]),
  )

  const notes = renderStale(new Map([['key101', [{ source: 'x', languages: ['de', 'fr'] }]]]))!
  const noted = await read({ ...source, 'web/stale/a.json': notes })
  t.strictSame(
    [...reads].sort(),
    ['web/locales/de/a.json', 'web/locales/en/a.json', 'web/locales/fr/a.json', 'web/stale/a.json'],
    'notes and the translations that they name',
  )
  t.strictSame(
    noted.map(({ stale }) => stale),
    [1, 0, 1, 0],
  )
  await read({ ...source, 'web/stale/a.json': notes }, 'other')
  t.equal(reads.size, 13, 'another organization has its own counts')
  t.strictSame(await read(source), third, 'the former state is still cached')
  t.strictSame([...reads], [])
  const part = { language: 'pl', namespace: 'c' }
  t.match(await read(source, 'acme', part), [{ language: 'pl', keys: 10, namespaces: [{ namespace: 'c' }] }])
  t.strictSame([...reads], [])
})

t.test('returns the counts of an empty cache after any sequence of reads', async t => {
  const { read } = open(t, 2 ** 22)
  const languages = [...LANGUAGES, 'sv']
  let files = filesOf(3)
  const step = fc.record({
    language: fc.constantFrom('en', ...languages, 'stale'),
    namespace: fc.constantFrom(...NAMESPACES, 'd'),
    keys: fc.constantFrom(0, 2, 4, 5),
    first: fc.tuple(fc.constantFrom('key100', 'kex100'), fc.constantFrom('', 'Another text', '{{n0}}', '{{m0}}')),
  })
  const steps = fc.sample(step, 120)
  for (const { language, namespace, keys, first } of steps) {
    const path = language === 'stale' ? `web/stale/${namespace}.json` : `web/locales/${language}/${namespace}.json`
    const notes = renderStale(new Map([[`key10${keys}`, [{ source: 'x', languages: ['de', 'pl'] }]]]))!
    const { [path]: _, ...others } = files
    files =
      keys === 0 ? others : { ...others, [path]: language === 'stale' ? notes : file(language, namespace, keys, first) }
    t.strictSame(await read(files), await open(t, 2 ** 22).read(files), `${path} of ${keys} keys`)
  }
})

t.test('stays within its limit and returns the same counts', async t => {
  const LIMIT = 20_000
  const small = open(t, LIMIT)
  const large = open(t, 2 ** 24)
  let most = 0
  for (let keys = 5; keys < 60; keys += 5) {
    const files = filesOf(keys)
    t.strictSame(await small.read(files), await large.read(files))
    most = Math.max(most, small.cache.bytes)
  }
  t.ok(most <= LIMIT, `${most} bytes`)
  t.ok(most > LIMIT / 3, `${most} bytes are used`)
  t.ok(large.cache.bytes > 2 * LIMIT)
})

t.test('counts an unreadable file as an empty one', async t => {
  const { read } = open(t, 2 ** 22)
  const files = { ...filesOf(3), 'web/locales/de/a.json': Buffer.from('[1]'), 'web/stale/b.json': Buffer.from('?') }
  const [german] = await read(files)
  t.match(german, { keys: 9, missing: 3, translated: 6, stale: 0, extra: 0 })
})

t.test('refuses too many bundles', async t => {
  const worker = new BundleWorker({ error: () => {} })
  t.teardown(() => worker.close())
  const namespaces = Array.from({ length: 400 }, (_, at) => `n${at}.json`)
  const languages = ['en', ...Array.from({ length: 250 }, (_, at) => `de-x-l${at}`)]
  const isFile = (path: string) => path.endsWith('.json')
  const entry = (path: string): TreeEntry => ({
    name: path.split('/').at(-1)!,
    kind: isFile(path) ? 'blob' : 'tree',
    id: path,
  })
  const state: Snapshot = {
    ...snapshotOf({}),
    organization: 'large',
    entry,
    list: path => {
      if (path === 'web/locales') return languages.map(entry)
      return path.endsWith('/en') ? namespaces.map(entry) : path.startsWith('web/locales/') ? [entry('n1.json')] : []
    },
    read: () => Buffer.from('{}'),
  }
  const left = new AbortController().signal
  const asked = {
    organization: 'large',
    project: parseProject('web', project),
    pinned: new PinnedState(async use => use(state), worker),
    left,
  }
  const cache = new StatusCache(2 ** 22)
  await t.rejects(cache.of(asked, all), {
    code: 'unfit',
    message: /more than 100,000 bundles: ask for one language/,
  })
  t.equal((await cache.of(asked, { language: undefined, namespace: 'n1' })).length, 251)
})
