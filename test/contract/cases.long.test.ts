/** Whole files through a running server, read by five versions of i18next, and random resources. */
import { readFileSync } from 'node:fs'
import i18next27 from 'i18next'
import i18next23 from 'i18next23'
import i18next24 from 'i18next24'
import i18next25 from 'i18next25'
import i18next26 from 'i18next26'
import t, { type Test } from 'tap'
import { isError, type Organization, type Server, startServer } from './server.ts'

type Library = typeof i18next27
const versions = { 23: i18next23, 24: i18next24, 25: i18next25, 26: i18next26, 27: i18next27 } as unknown as Record<
  string,
  Library
>

interface Case {
  name: string
  lang: string
  format: 'nested' | 'flat'
  file: string
  init: Record<string, unknown>
  model: { key: string; message: unknown }[] | null
  expect: {
    key: string
    options: Record<string, unknown>
    result: unknown
    resultByVersion?: Record<string, unknown>
  }[]
  status?: number
}

const folder = new URL('../cases/', import.meta.url)
const cases = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as Case[]

let server: Server
let acme: Organization
let serial = 0

t.before(async () => {
  server = await startServer(t)
  acme = await server.organization()
})

const project = (lang: string, format: 'nested' | 'flat') =>
  server.project(acme.key, `c${++serial}`, lang, format === 'flat' ? 'i18next-json-flat' : 'i18next-json')

async function translator(library: Library, lang: string, resource: object, init: object = {}) {
  const app = library.createInstance()
  await app.init({ lng: lang, fallbackLng: false, ...init, resources: { [lang]: { translation: resource } } } as never)
  return app.t as unknown as (key: string, options: object) => unknown
}

const byKey = (rows: { key: string; message: unknown }[]) =>
  Object.fromEntries(rows.map(({ key, message }) => [`key ${key}`, message]))

async function judged(t: Test, test: Case, resource: object) {
  for (const [version, library] of Object.entries(versions)) {
    const translate = await translator(library, test.lang, resource, test.init)
    for (const { key, options, result, resultByVersion } of test.expect) {
      const wanted = resultByVersion?.[version] ?? result
      t.strictSame(translate(key, { ...options }), wanted, `i18next ${version}: t(${key}, ${JSON.stringify(options)})`)
    }
  }
}

for (const test of cases) {
  t.test(`case ${test.name}`, async t => {
    const bytes = readFileSync(new URL(test.file, folder))
    const web = await project(test.lang, test.format)
    const ways: [string, string, string][] = [
      ['PUT', test.lang, 'pushed'],
      ['POST', test.lang, 'posted'],
      ['PUT', 'sv', 'elsewhere'],
    ]
    for (const [method, language, namespace] of ways) {
      const path = `${web}/bundles/${language}/${namespace}`
      const reply = await server.call(method, path, { key: acme.key, body: bytes })
      if (test.status === 422) {
        isError(t, reply, 422, `${method} ${test.file}`)
        continue
      }
      t.equal(reply.status, 200, `${method} ${language}: ${reply.text.slice(0, 200)}`)
      const read = await server.get(path, acme.key)
      t.strictSame(read.json, JSON.parse(bytes.toString('utf8')), 'the resource is what was pushed')
      await judged(t, test, read.json)
      const rows = (await server.get(`${web}/bundles/${language}?namespace=${namespace}`, acme.key)).json.keys
      t.strictSame(byKey(rows), byKey(test.model!), 'the stored model')
      t.equal(rows.length, test.model!.length, 'one row a key')
      const again = await server.put(path, acme.key, read.bytes)
      t.strictSame([again.json?.added, again.json?.updated], [0, 0], 'pushed again, nothing changes')
    }
  })
}

t.test('preserves the texts of a file in the other format', async t => {
  for (const test of cases.filter(test => test.status !== 422)) {
    const other = await project(test.lang, test.format === 'flat' ? 'nested' : 'flat')
    const path = `${other}/bundles/${test.lang}/common`
    const reply = await server.put(path, acme.key, readFileSync(new URL(test.file, folder)))
    t.equal(reply.status, 200, test.name)
    const rows = (await server.get(`${other}/bundles/${test.lang}`, acme.key)).json.keys
    t.strictSame(byKey(rows), byKey(test.model!), `${test.name}: the same model`)
  }
})

/** A small generator with a seed, so that a failure can be repeated. */
function random(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const pick = <T>(items: T[]): T => items[Math.floor(next() * items.length)]!
  return { next, pick }
}

const segments = [
  'a',
  'b',
  'item',
  'item_one',
  'item_other',
  'item_ordinal_two',
  'x.y',
  '1.0',
  '',
  ' s',
  't ',
  'Done.',
  'a.b',
  '0',
  '1',
  'é',
  '__proto__',
  'f_male',
  'f_male_few',
  'b.',
  '.c',
  'q_plural',
]

function randomResource(seed: number): Record<string, unknown> {
  const { next, pick } = random(seed)
  let text = 0
  const make = (depth: number): unknown => {
    const dice = next()
    if (depth === 0 || dice < 0.5) return `text ${++text} {{v}}`
    if (dice < 0.65) return Array.from({ length: 1 + Math.floor(next() * 3) }, () => make(depth - 1))
    const object: Record<string, unknown> = {}
    for (let n = 1 + Math.floor(next() * 4); n > 0; n--) {
      Object.defineProperty(object, pick(segments), {
        value: make(depth - 1),
        enumerable: true,
        configurable: true,
        writable: true,
      })
    }
    return object
  }
  const root: Record<string, unknown> = {}
  for (let n = 1 + Math.floor(next() * 5); n > 0; n--) {
    Object.defineProperty(root, pick(segments.filter(name => name !== '')), {
      value: make(3),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return root
}

function leaves(value: unknown, path: string[] = []): string[] {
  if (typeof value === 'string') return [path.join('.')]
  return Object.entries(value as object).flatMap(([name, member]) => leaves(member, [...path, name]))
}

t.test('returns random resources with the same results of t()', async t => {
  const rounds = Number(process.env.CONTRACT_ROUNDS ?? 40)
  const projects = { nested: await project('en', 'nested'), flat: await project('en', 'flat') }
  let accepted = 0
  for (let seed = 1; seed <= rounds; seed++) {
    const resource = randomResource(seed)
    const names = leaves(resource)
    const ambiguous = new Set(names).size !== names.length
    for (const [format, web] of Object.entries(projects)) {
      const path = `${web}/bundles/en/r${seed}`
      const reply = await server.put(path, acme.key, resource)
      if (ambiguous) {
        t.equal(reply.status, 422, `seed ${seed}: the same key twice is refused: ${JSON.stringify(resource)}`)
        continue
      }
      if (reply.status !== 200) {
        t.fail(`seed ${seed} ${format}: ${reply.status} ${reply.text} for ${JSON.stringify(resource)}`)
        continue
      }
      accepted++
      const read = await server.get(path, acme.key)
      const found = format === 'nested' ? [...names, ...Object.keys(resource)] : names
      for (const version of ['27', '23']) {
        const before = await translator(versions[version]!, 'en', resource, { nsSeparator: false })
        const after = await translator(versions[version]!, 'en', read.json, { nsSeparator: false })
        for (const name of found) {
          const options = { v: 'V', returnObjects: names.includes(name) ? false : format === 'nested' }
          const wanted = before(name, options)
          // In a flat file i18next itself finds neither branches nor, before 27, a dotted name with __proto__ in it.
          if (format === 'flat' && (!String(wanted).startsWith('text') || name.includes('__proto__'))) continue
          t.strictSame(
            after(name, options),
            wanted,
            `seed ${seed} ${format} ${version}: ${JSON.stringify(name)} of ${JSON.stringify(resource)} read back as ${read.text}`,
          )
        }
      }
      const copy = `${web}/bundles/en/s${seed}`
      await server.must('PUT', copy, { key: acme.key, body: read.bytes })
      t.equal(
        (await server.get(copy, acme.key)).text,
        read.text,
        `seed ${seed} ${format}: a fixed point: ${JSON.stringify(resource)}`,
      )
    }
  }
  t.ok(accepted > rounds, `${accepted} files went through`)
})
