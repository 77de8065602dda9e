/** The interpolation of a project over HTTP: its rights, its values, and the checks of placeholders by it. */
import t from 'tap'
import { openScene, type Scene } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const call = (method: string, path: string, body?: unknown) =>
  scene.server.call(method, path, { key: scene.acme.key, ...(body !== undefined && { body }) })
const get = async (path: string) => (await scene.server.get(path, scene.acme.key)).json

const UNDERSCORES = { prefix: '__', suffix: '__' }
const row = (slug: string) => ({ slug, name: slug, sourceLanguage: 'en', defaultFormat: 'i18next-json' })

/** A project with a text for each of two syntaxes. Its translation lacks the placeholder. */
async function project(slug: string, interpolation?: object): Promise<string> {
  const web = `/api/projects/${slug}`
  const { status } = await call('POST', '/api/projects', { ...row(slug), ...(interpolation && { interpolation }) })
  t.equal(status, 201)
  const en = { old: 'Hi __name__', usual: 'Hi {{name}}', both: '__a__ {{b}}' }
  for (const [language, body] of Object.entries({ en, de: { old: 'Hallo', usual: 'Hallo', both: '{{b}} __a__' } }))
    await scene.server.must('PUT', `${web}/bundles/${language}/common`, { key: scene.acme.key, body })
  return web
}

/** The keys with problems and their reasons. Their number must equal the count of the status. */
async function problems(web: string): Promise<string[]> {
  const { keys } = await get(`${web}/status/keys?language=de&is=problems`)
  const [{ problems }] = (await get(`${web}/status?language=de`)).languages
  t.equal(problems, keys.length)
  return keys.map(({ key, problems: [one] }: { key: string; problems: [{ missing: string[] }] }) =>
    [key, ...one.missing].join(' '),
  )
}

t.test('checks placeholders by the interpolation of the project, even when another has the same files', async t => {
  const [usual, old] = [await project('usual'), await project('old', UNDERSCORES)]
  t.strictSame(await problems(usual), ['usual {{name}}'])
  t.strictSame(await problems(old), ['old __name__'])
  await scene.server.must('PATCH', usual, { key: scene.acme.key, body: { interpolation: UNDERSCORES } })
  t.strictSame(await problems(usual), ['old __name__'], 'changed')
  await scene.server.must('PATCH', usual, { key: scene.acme.key, body: { name: 'Usual' } })
  t.strictSame(await problems(usual), ['old __name__'], 'a new name does not change it')
  await scene.server.must('PATCH', usual, {
    key: scene.acme.key,
    body: { interpolation: { prefix: '{{', suffix: '}}' } },
  })
  t.strictSame(await problems(usual), ['usual {{name}}'], 'changed back')
  t.strictSame(await problems(old), ['old __name__'])
})

t.test('returns the interpolation when it differs from the default of i18next', async t => {
  const web = await project('told', UNDERSCORES)
  const own = { ...row('told'), interpolation: UNDERSCORES }
  const listed = async () => (await get('/api/projects')).projects.find(({ slug }: { slug: string }) => slug === 'told')
  t.strictSame(await listed(), own)
  t.strictSame((await get(web)).interpolation, UNDERSCORES)
  const { json } = await call('PATCH', web, { interpolation: { prefix: '{{', suffix: '}}' } })
  t.strictSame(json, row('told'))
  t.strictSame(await listed(), row('told'))
  t.notOk('interpolation' in (await get(web)))
})

t.test('restores the interpolation with an undo and a restore', async t => {
  const web = await project('back', UNDERSCORES)
  const newest = () => scene.server.newest(scene.acme.id)
  const first = await newest()
  await call('PATCH', web, { interpolation: { prefix: '%', suffix: '%' } })
  const second = await newest()
  const { project: changed } = await get(`${web}/diff?from=${first}&to=${second}`)
  t.match(changed, { before: { interpolation: UNDERSCORES }, after: { interpolation: { prefix: '%', suffix: '%' } } })
  await scene.server.must('POST', `${web}/revert`, { key: scene.acme.key, body: { revisions: [second] } })
  t.strictSame((await get(web)).interpolation, UNDERSCORES, 'undone')
  await scene.server.must('POST', `${web}/restore`, { key: scene.acme.key, body: { at: second } })
  t.strictSame((await get(web)).interpolation, { prefix: '%', suffix: '%' }, 'restored')
  t.strictSame(await problems(web), [])
})

t.test('names the field when the interpolation is invalid', async t => {
  const web = await project('refused')
  const { prefix, suffix } = UNDERSCORES
  const rows: [interpolation: unknown, says: RegExp][] = [
    [null, /"interpolation"/],
    ['__', /"interpolation"/],
    [[], /"interpolation"/],
    [{}, /"interpolation.prefix"/],
    [{ prefix }, /"interpolation.suffix"/],
    [{ prefix, suffix: null }, /"interpolation.suffix"/],
    [{ prefix: '', suffix }, /"interpolation.prefix" must have 1 to 20 characters/],
    [{ prefix, suffix: '_'.repeat(21) }, /"interpolation.suffix" must have 1 to 20 characters/],
    [{ prefix: '_\n', suffix }, /"interpolation.prefix" .*control/],
    [{ prefix, suffix, escapeValue: false }, /"interpolation.escapeValue"/],
  ]
  for (const [interpolation, says] of rows) {
    for (const [method, path, body] of [
      ['POST', '/api/projects', { ...row('none'), interpolation }],
      ['PATCH', web, { interpolation }],
    ] as const) {
      const { status, json } = await call(method, path, body)
      t.equal(status, 400, `${method} ${JSON.stringify(interpolation)}`)
      t.match(json.error, says)
    }
  }
  const longest = { prefix: '\u{1f600}'.repeat(20), suffix: ' x ' }
  t.strictSame((await call('PATCH', web, { interpolation: longest })).json, {
    ...row('refused'),
    interpolation: longest,
  })
})
