/** A real i18next app with i18next-http-backend: it loads two languages, and its saveMissing writes keys. */
import { setTimeout as pause } from 'node:timers/promises'
import i18next27, { type i18n } from 'i18next'
import Backend from 'i18next-http-backend'
import i18next23 from 'i18next23'
import t, { type Test } from 'tap'
import { eventually, type Organization, type Server, startServer } from './server.ts'

let server: Server
let acme: Organization

t.before(async () => {
  server = await startServer(t)
  acme = await server.organization()
})

async function app(library: typeof i18next27, project: string, lng: string, more: object = {}): Promise<i18n> {
  const bundles = `${server.base}${project}/bundles/{{lng}}/{{ns}}`
  const instance = library.createInstance()
  await instance.use(Backend).init({
    lng,
    fallbackLng: 'en',
    ns: ['common', 'shop'],
    defaultNS: 'common',
    saveMissing: false,
    backend: { loadPath: bundles, addPath: bundles, customHeaders: { 'x-api-key': acme.key } },
    ...more,
  } as never)
  return instance
}

const libraries: [string, typeof i18next27][] = [
  ['27', i18next27],
  ['23', i18next23 as never],
]

for (const [version, library] of libraries) {
  t.test(`i18next ${version} loads two languages`, async t => {
    const project = await server.project(acme.key, `load${version}`)
    const put = (place: string, body: unknown) =>
      server.must('PUT', `${project}/bundles/${place}`, { key: acme.key, body })
    await put('en/common', {
      hi: 'Hi {{name}}',
      item_one: '{{count}} item',
      item_other: '{{count}} items',
      friend: 'A friend',
      friend_male: 'A boyfriend',
      friend_female_one: 'a girl',
      friend_female_other: '{{count}} girls',
      place_ordinal_one: '{{count}}st',
      place_ordinal_two: '{{count}}nd',
      place_ordinal_few: '{{count}}rd',
      place_ordinal_other: '{{count}}th',
      nav: { home: 'Home' },
      'Loading...': 'Please wait',
      list: ['a', 'b'],
    })
    await put('en/shop', { buy: 'Buy' })
    await put('pl/common', {
      item_one: '{{count}} rzecz',
      item_few: '{{count}} rzeczy',
      item_many: '{{count}} rzeczy!',
      item_other: '{{count}} rzeczy.',
    })
    const pl = await app(library, project, 'pl')
    t.equal(pl.t('item', { count: 1 }), '1 rzecz')
    t.equal(pl.t('item', { count: 3 }), '3 rzeczy')
    t.equal(pl.t('item', { count: 5 }), '5 rzeczy!')
    t.equal(pl.t('hi', { name: 'Bo' }), 'Hi Bo', 'falls back to English')
    t.equal(pl.t('nav.home'), 'Home')
    t.equal(pl.t('friend', { context: 'male' }), 'A boyfriend')
    const en = await app(library, project, 'en')
    t.equal(en.t('friend', { context: 'female', count: 2 }), '2 girls')
    t.equal(en.t('friend', { context: 'other' }), 'A friend')
    t.equal(en.t('place', { count: 22, ordinal: true }), '22nd')
    t.equal(en.t('Loading...', { nsSeparator: false }), 'Please wait')
    t.strictSame(en.t('list', { returnObjects: true }), ['a', 'b'])
    t.equal(en.t('shop:buy'), 'Buy')
  })

  t.test(`i18next ${version} saves missing keys`, async t => {
    const organization = await server.organization()
    const key = organization.key
    const project = await server.project(key, `save${version}`)
    await server.must('PUT', `${project}/bundles/en/common`, {
      key,
      body: { present: 'Present', a: { known: 'Known' }, item_one: 'translated {{count}}' },
    })
    await server.must('PUT', `${project}/bundles/de/common`, { key, body: { present: 'Da' } })
    const before = await server.commits(organization.id)
    const bundles = `${server.base}${project}/bundles/{{lng}}/{{ns}}`
    const running = await app(library, project, 'en', {
      fallbackLng: false,
      saveMissing: true,
      backend: { loadPath: bundles, addPath: bundles, customHeaders: { 'x-api-key': key } },
    })
    t.equal(running.t('present', 'another default'), 'Present')
    running.t('plain')
    running.t('greeting', 'Hello {{name}}')
    running.t('a.b.c', 'Deep')
    running.t('Welcome back. How are you?', { nsSeparator: false })
    running.t('item', { count: 3, defaultValue_one: '{{count}} item', defaultValue_other: '{{count}} items' })
    running.t('thing', { count: 2, defaultValue_one: '{{count}} thing', defaultValue_other: '{{count}} things' })
    running.t('place', { count: 2, ordinal: true, defaultValue: '{{count}}.' })
    running.t('shop:cart.empty', 'Nothing here')
    running.t('present.sub', 'Under a text')
    running.t('list.0', 'First')
    const wanted = new Map<string, unknown>([
      ['present', 'Present'],
      ['a.known', 'Known'],
      ['plain', 'plain'],
      ['greeting', 'Hello {{name}}'],
      ['a.b.c', 'Deep'],
      ['Welcome back. How are you?', 'Welcome back. How are you?'],
      ['item', { cardinal: { one: 'translated {{count}}', other: '{{count}} items' } }],
      ['thing', { cardinal: { one: '{{count}} thing', other: '{{count}} things' } }],
      ['place', { ordinal: { one: '{{count}}.', two: '{{count}}.', few: '{{count}}.', other: '{{count}}.' } }],
      ['present.sub', 'Under a text'],
      ['list.0', 'First'],
    ])
    const model = () => server.model(key, project, 'en', 'common')
    const complete = async () => {
      const found = await model()
      return [...wanted.keys()].every(name => found.has(name)) && JSON.stringify(found.get('place')).includes('few')
    }
    t.ok(await eventually(complete), 'all keys arrive')
    const found = await model()
    for (const [name, message] of wanted) t.strictSame(found.get(name), message, name)
    t.strictSame([...found.keys()].sort(), [...wanted.keys()].sort(), 'no other key exists')
    t.strictSame(
      [...(await server.model(key, project, 'en', 'shop'))],
      [['cart.empty', 'Nothing here']],
      'in its namespace',
    )
    // plain, greeting, a.b.c, Welcome, present.sub, list.0, cart.empty; item_other; two forms of thing; four of place.
    const forms = 7 + 1 + 2 + 4
    t.ok(
      await eventually(async () => (await server.commits(organization.id)) === before + forms),
      `one commit each: ${(await server.commits(organization.id)) - before} of ${forms}`,
    )
    const again = await app(library, project, 'en', {
      fallbackLng: false,
      backend: { loadPath: bundles, addPath: bundles, customHeaders: { 'x-api-key': key } },
    })
    t.equal(again.t('a.b.c'), 'Deep', 'the next start finds them')
    t.equal(again.t('Welcome back. How are you?', { nsSeparator: false }), 'Welcome back. How are you?')
    t.equal(again.t('thing', { count: 1 }), '1 thing')
    t.equal(again.t('place', { count: 3, ordinal: true }), '3.')
    t.equal(again.t('present.sub'), 'Under a text')
    t.equal(again.t('present'), 'Present', 'the existing key is unchanged')
    t.strictSame((await server.get(`${project}/bundles/de/common`, key)).json, { present: 'Da' }, 'in German too')
    server.git(organization.id, 'fsck', '--full', '--strict')
    t.equal(server.git(organization.id, 'status', '--porcelain'), '', 'the work tree is clean')
  })
}

t.test('runs an app with a wrong token or an unknown language', async t => {
  const project = await server.project(acme.key, 'quiet')
  const bundles = `${server.base}${project}/bundles/{{lng}}/{{ns}}`
  const wrong = await app(i18next27, project, 'en', {
    saveMissing: true,
    backend: { loadPath: bundles, addPath: bundles, customHeaders: { 'x-api-key': 'wrong' } },
  })
  t.equal(wrong.t('plain'), 'plain')
  const unknown = await app(i18next27, project, 'fr', {
    saveMissing: true,
    saveMissingTo: 'current',
    fallbackLng: false,
  })
  t.equal(unknown.t('bonjour', 'Bonjour'), 'Bonjour')
  const there = async () => (await server.get(`${project}/bundles/fr/common`, acme.key)).json?.bonjour === 'Bonjour'
  t.ok(await eventually(there), 'the first missing key creates the language')
  // No later answer proves that the write with the wrong token never comes.
  await pause(50)
  t.strictSame((await server.get(`${project}/bundles/en/common`, acme.key)).json, {}, 'the wrong token wrote nothing')
  await clean(t)
})

async function clean(t: Test) {
  await server.commits(acme.id)
  t.equal(server.git(acme.id, 'status', '--porcelain'), '', 'the work tree is clean')
}
