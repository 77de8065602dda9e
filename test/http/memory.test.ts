/** The translation memory over HTTP: matches, rights, changes, bounds and the TMX file. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { untilReady } from '../until-ready.ts'
import { isError, openScene, type Scene } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const memory = (source: string, more = '', from = 'en', to = 'de') =>
  `/api/memory?from=${from}&to=${to}&source=${encodeURIComponent(source)}${more}`

const ask = async (key: string, ...query: Parameters<typeof memory>) =>
  (await untilReady(() => scene.server.get(memory(...query), key))).json

async function project(slug: string, files: Record<string, object>, key = scene.acme.key): Promise<string> {
  const web = await scene.server.project(key, slug)
  for (const [language, body] of Object.entries(files)) {
    await scene.server.must('PUT', `${web}/bundles/${language}/common`, { key, body })
  }
  return web
}

t.test('finds translations of all projects that the credential reaches, in the newest state', async t => {
  const { server, acme, other } = scene
  const en = {
    save: 'Save changes',
    hello: 'Hello {{name}}',
    item_one: '{{count}} item',
    item_other: '{{count}} items',
  }
  const de = { save: 'Speichern', hello: 'Hallo {{name}}', item_one: '{{count}} Ding', item_other: '{{count}} Dinge' }
  const web = await project('found', { en, de })
  await project('second', { en: { keep: 'Save changes' }, de: { keep: 'Sichern' } })
  await project('theirs', { en: { secret: 'Save changes' }, de: { secret: 'Geheim' } }, other.key)
  const place = (project: string, key: string) => ({ project, namespace: 'common', key })
  const marks = { approved: false, machine: false }
  const found = { score: 100, source: 'Save changes', message: 'Speichern', ...place('found', 'save'), ...marks }
  const second = { score: 100, source: 'Save changes', message: 'Sichern', ...place('second', 'keep'), ...marks }
  t.strictSame(await ask(acme.key, 'Save changes'), { matches: [found, second], complete: true })
  t.strictSame((await ask(acme.key, 'Save changes', '&limit=1')).matches, [found])
  t.strictSame((await ask(acme.key, 'Save changes', '&project=second')).matches, [second])
  t.strictSame((await ask(acme.key, 'Sichern', '', 'de', 'en')).matches[0], {
    ...second,
    source: 'Sichern',
    message: 'Save changes',
  })
  t.match((await ask(acme.key, '{{n}} items')).matches, [
    { score: 100, form: 'other', message: { cardinal: { one: '{{count}} Ding', other: '{{count}} Dinge' } } },
  ])
  t.strictSame(await ask(acme.key, 'Something else entirely'), { matches: [], complete: true })
  t.strictSame(await ask(acme.key, 'Save changes', '', 'en', 'fr'), { matches: [], complete: true }, 'no such language')
  t.match((await ask(other.key, 'Save changes')).matches, [{ message: 'Geheim' }])

  const limited = await server.mint(acme.owner, 'second only', 'read', ['second'])
  t.strictSame((await ask(limited.key, 'Save changes')).matches, [second])
  isError(t, await server.get(memory('Save changes', '&project=found'), limited.key), 404, 'out of reach')

  await server.must('PUT', `${web}/bundles/de/common/save`, { key: acme.key, body: { value: 'Merken' } })
  t.strictSame((await ask(acme.key, 'Save changes')).matches, [{ ...found, message: 'Merken' }, second], 'replaced')
  await server.must('PUT', `${web}/bundles/en/common/save`, { key: acme.key, body: { value: 'Save changes now' } })
  t.strictSame((await ask(acme.key, 'Save changes')).matches, [second], 'the stale pair is no match')
  await server.must('DELETE', '/api/projects/second', { key: acme.key })
  t.strictSame((await ask(acme.key, 'Save changes')).matches, [], 'nor is one of a deleted project')
  t.strictSame((await ask(limited.key, 'Save changes')).matches, [])
})

t.test('says which matches are approved, whichever language the search is from', async t => {
  const { acme, server } = scene
  const en = { open: 'Open the folder', item_one: '{{count}} folder', item_other: '{{count}} folders' }
  const de = { open: 'Ordner aufklappen', item_one: '{{count}} Ordner', item_other: '{{count}} Ordner' }
  const web = await project('marked', { en, de, fr: { open: 'Ouvrir le dossier' } })
  const must = (method: string, path: string, body: object) =>
    server.must(method, `${web}${path}`, { key: acme.key, body })
  const flags = async (...query: Parameters<typeof memory>) =>
    (await ask(acme.key, ...query)).matches.map(({ key, approved, machine }: Record<string, unknown>) => [
      key,
      approved,
      machine,
    ])
  t.strictSame(await flags('Open the folder'), [['open', false, false]])
  await must('POST', '/approve', { language: 'de' })
  t.strictSame(await flags('Open the folder'), [['open', true, false]])
  t.strictSame(await flags('{{n}} folders'), [['item', true, false]], 'a plural')
  t.strictSame(await flags('Ouvrir le dossier', '', 'fr', 'de'), [['open', true, false]], 'from a translation')
  t.strictSame(await flags('Ordner aufklappen', '', 'de', 'en'), [['open', false, false]], 'the source has no marks')
  await must('PUT', '/bundles/de/common/open', { value: 'Ordner anzeigen' })
  t.strictSame(await flags('Open the folder'), [['open', false, false]], 'another text')
})

t.test('refuses a bad query in a sentence', async t => {
  const { server, acme } = scene
  await project('bad', { en: { a: 'x' } })
  const cases: [query: string, status: number, error: RegExp][] = [
    ['from=en&to=de', 400, /source is missing/],
    ['from=en&to=de&source=%20', 400, /source is empty/],
    ['source=x&to=de', 400, /from is missing/],
    ['source=x&from=en', 400, /to is missing/],
    ['source=x&from=en&to=en', 400, /two languages, not "en" twice/],
    ['source=x&from=en&to=x_y', 400, /"x_y" is not a language tag/],
    ['source=x&source=y&from=en&to=de', 400, /source may be given once/],
    ['source=x&from=en&to=de&limit=21', 400, /limit must be a number from 1 to 20/],
    ['source=x&from=en&to=de&project=A%20b', 400, /slug/],
    ['source=x&from=en&to=de&project=missing', 404, /There is no project "missing"/],
    [`source=${'x'.repeat(40_000)}&from=en&to=de`, 431, /too long together/],
  ]
  for (const [query, status, error] of cases) {
    const reply = await server.get(`/api/memory?${query}`, acme.key)
    t.equal(reply.status, status, query.slice(0, 80))
    t.match(reply.json?.error, error, query.slice(0, 80))
  }
  const long = await untilReady(() => server.get(memory('é'.repeat(5_000)), acme.key))
  t.equal(long.status, 200, 'a long text')
})

t.test('answers searches while other requests write', async t => {
  const { server, acme } = scene
  const web = await project('racing', { en: { a: 'Pay the invoice' }, de: { a: 'Zahlen 0' } })
  const write = async () => {
    for (let at = 1; at <= 20; at++) {
      const body = { value: `Zahlen ${at}` }
      await server.must('PUT', `${web}/bundles/de/common/a`, { key: acme.key, body })
      const { matches } = await ask(acme.key, 'Pay the invoice')
      t.equal(matches[0]?.message, `Zahlen ${at}`, 'an acknowledged write is found')
    }
  }
  const read = async () => {
    for (let at = 0; at < 20; at++) t.match((await ask(acme.key, 'Pay the invoice')).matches, [{ score: 100 }])
  }
  await Promise.all([write(), read(), read()])
})

t.test('exports present pairs as TMX', async t => {
  const { server, acme } = scene
  const en = {
    a: 'Fish & <b>chips</b>',
    b: 'Gone',
    c: 'Bad \u0007 "sign"',
    n_one: '{{count}} file',
    n_other: '{{count}} files',
  }
  const pl = { a: 'Ryba & <b>frytki</b>', b: '', c: 'Zły\r\nznak', n_one: '{{count}} plik', n_few: '{{count}} pliki' }
  const web = await project('tmx', { en, pl })
  await server.must('PUT', `${web}/bundles/en/other`, { key: acme.key, body: { late: 'Old' } })
  await server.must('PUT', `${web}/bundles/pl/other`, { key: acme.key, body: { late: 'Stary' } })
  await server.must('PUT', `${web}/bundles/en/other/late`, { key: acme.key, body: { value: 'New' } })
  const reply = await server.get(`${web}/memory.tmx?language=pl`, acme.key)
  t.equal(reply.status, 200)
  t.equal(reply.headers['content-type'], 'application/x-tmx+xml; charset=utf-8')
  t.equal(reply.headers['content-disposition'], 'attachment; filename="tmx-pl.tmx"')
  const segments = [...reply.text.matchAll(/<tuv xml:lang="(\w+)"><seg>([^<]*)<\/seg>/g)].map(([, ...found]) => found)
  t.strictSame(segments, [
    ['en', 'Fish &amp; &lt;b&gt;chips&lt;/b&gt;'],
    ['pl', 'Ryba &amp; &lt;b&gt;frytki&lt;/b&gt;'],
    ['en', 'Bad \ufffd &quot;sign&quot;'],
    ['pl', 'Zły&#13;\nznak'],
    ['en', '{{count}} file'],
    ['pl', '{{count}} plik'],
    ['en', '{{count}} files'],
    ['pl', '{{count}} pliki'],
  ])
  t.match(reply.text, '<prop type="x-key">n_few</prop>')
  const again = await server.get(`${web}/memory.tmx?language=pl`, acme.key, {
    'if-none-match': String(reply.headers.etag),
  })
  t.equal(again.status, 304)
  isError(t, await server.get(`${web}/memory.tmx`, acme.key), 400, 'no language')
  isError(t, await server.get(`${web}/memory.tmx?language=en`, acme.key), 400, 'the source language')
  isError(t, await server.get(`${web}/memory.tmx?language=fr`, acme.key), 404, 'no such language')
  const file = join(t.testdir(), 'memory.tmx')
  writeFileSync(file, reply.bytes)
  const parse = "import sys, xml.dom.minidom as x; print(len(x.parse(sys.argv[1]).getElementsByTagName('tu')))"
  if (hasPython) t.equal(execFileSync('python3', ['-c', parse, file], { encoding: 'utf8' }).trim(), '4', 'it is XML')
})

const hasPython = (() => {
  try {
    return execFileSync('python3', ['-c', 'print(1)'], { stdio: ['ignore', 'pipe', 'ignore'] }).length > 0
  } catch {
    return false
  }
})()
