/** A client generated from the OpenAPI document compiles, and its types match the answers of a server. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startServer } from './server.ts'
import { appFolder, compileBy, TYPESCRIPT } from './typed-apps.ts'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const generator = join(dirname(require.resolve('oazapfts')), 'cli.js')

/** A new user calls each kind of route. The app fails when an answer differs from its type. */
const APP = `
import assert from 'node:assert/strict'
import { ok } from '@oazapfts/runtime'
import * as client from './parlance.ts'

const { defaults } = client
defaults.baseUrl = process.env.PARLANCE_URL!
const web = { slug: 'web' }

// A person and the organization.
const person = await client.signUp({ body: { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' } })
assert(person.status === 200)
const cookies = (headers: Headers) => headers.getSetCookie().map(cookie => cookie.split(';')[0]).join('; ')
const as = { headers: { cookie: cookies(person.headers), origin: defaults.baseUrl } }
const organization = await ok(client.createOrganization({ body: { name: 'Acme', slug: 'acme' } }, as))
const active = await ok(client.setActiveOrganization({ body: { organizationId: organization!.id } }, as))
assert.equal(active?.slug, 'acme')
assert.equal((await ok(client.getSession({}, as)))?.user.email, 'ann@example.com')
assert.equal((await ok(client.listMembers({}, as))).members[0]?.role, 'owner')
const minted = await ok(client.mintToken({ newToken: { name: 'build' } }, as))
const { tokens } = await ok(client.listTokens(as))
assert.deepEqual(tokens.map(({ name, scope }) => [name, scope]), [['build', 'write']])
const { entries } = await ok(client.getAudit({ limit: 5 }, as))
assert(entries.some(({ what }) => what.startsWith('token')))
defaults.headers = { 'x-api-key': minted.key }

// Projects and texts.
const newProject = { name: 'Web', slug: 'web', sourceLanguage: 'en' }
const project = await ok(client.createProject({ newProject }))
const format: 'i18next-json' | 'i18next-json-flat' = project.defaultFormat
assert.equal(format, 'i18next-json')
const { projects } = await ok(client.listProjects({}))
assert.deepEqual(projects, [project])
const common = { ...web, language: 'en', $namespace: 'common' }
const filled = await ok(client.registerMissing({ ...common, resource: { title: 'Hello', nav: { home: 'Home' } } }))
assert.equal(filled.added, 2)
const texts = { en: { common: { item_one: '{{count}} item', item_other: '{{count}} items' } }, de: { common: { title: 'Hallo' } } }
const pushed = await ok(client.pushBundles({ ...web, overwrite: 'true', manyPush: { bundles: texts, message: 'Two languages' } }))
assert.deepEqual(pushed.bundles.map(({ language, added }) => [language, added]), [['en', 1], ['de', 1]])
const bundle = await client.getBundle(common)
assert(bundle.status === 200)
const ifNoneMatch = bundle.headers.get('etag')!
assert.equal((await client.getBundle({ ...common, ifNoneMatch })).status, 304)
const put = await ok(client.putKey({ ...common, key: 'title', newValue: { value: 'Hello there' } }))
assert('message' in put, 'no review of the language')
assert.equal(put.message, 'Hello there')
const { message } = await ok(client.getKey({ ...common, key: 'item_one' }))
assert(typeof message === 'object')
assert.equal(message.cardinal?.one, '{{count}} item')
const dry = await ok(client.pushBundle({ ...common, dryRun: 'true', details: 'true', resource: { title: 'Other' } }))
assert.deepEqual(dry.details?.map(({ key, result }) => [key, result]), [['title', 'updated']])
const { keys } = await ok(client.getLanguage({ ...web, language: 'en' }))
assert.deepEqual(keys.map(({ key }) => key).sort(), ['item', 'nav.home', 'title'])
assert.deepEqual((await ok(client.getManifest(web))).languages, ['de', 'en'])
const renamed = await ok(client.renameKey({ ...web, body: { namespace: 'common', from: 'nav.home', to: 'nav.start' } }))
assert.deepEqual(renamed.languages, ['en'])
assert.match(await ok(client.getTypes(web)), /CustomTypeOptions/)
assert((await client.exportProject(web)).status === 200)

// Status and history.
const { languages } = await ok(client.getStatus(web))
const [german] = languages.filter(({ language }) => language === 'de')
assert.deepEqual([german?.translated, german?.stale, german?.namespaces[0]?.missing], [1, 1, 2])
const rows = await ok(client.getStatusKeys({ ...web, language: 'de', $is: 'stale' }))
assert.deepEqual(rows.keys.map(({ key, sourceThen }) => [key, sourceThen]), [['title', 'Hello']])
const confirmed = await ok(client.confirmKeys({ ...web, body: { language: 'de', namespace: 'common', keys: ['title'] } }))
assert.equal(confirmed.confirmed, 1)
const { revisions, next } = await ok(client.getHistory({ ...web, limit: 2 }))
assert(next !== null)
const added: (number | undefined)[] = revisions.map(({ changes }) => changes?.added)
assert.deepEqual(added, [0, 1], 'what was confirmed, what was renamed')
const diff = await ok(client.getDiff({ ...web, $from: pushed.revision }))
assert.deepEqual(diff.changes.map(({ key }) => key), ['nav.home', 'nav.start', 'title'])
const release = await ok(client.createRelease({ ...web, newRelease: { name: 'v1' } }))
assert.deepEqual((await ok(client.listReleases(web))).releases, [release])
const undone = await ok(client.revertRevision({ ...web, body: { revision: pushed.revision } }))
assert.equal(undone.reverted, 2)
assert.equal(undone.undoneBy?.length, 40)
const restored = await ok(client.restoreProject({ ...web, body: { at: 'v1' } }))
assert.equal(restored.added, 2)

// What fails says why.
const stale = await client.putKey({ ...common, key: 'title', newValue: { value: 'x' }, ifMatch: '"1"' })
assert(stale.status === 412)
assert.match(stale.data.etag, /^W/)
const none = await client.getStatus({ slug: 'nothing' })
assert(none.status === 404)
assert.match(none.data.error, /nothing/)
await assert.rejects(ok(client.getManifest({ slug: 'nothing' })))
// @ts-expect-error a status that is not looked at
assert.equal(none.data.languages, undefined)
// @ts-expect-error no such parameter
client.getStatus({ slug: 'web', lang: 'de' }).catch(() => {})
const health = await ok(client.getHealth())
assert.equal(health.status, 'ok')
`

t.test('generates a TypeScript client that compiles and matches the answers of the server', async t => {
  const server = await startServer(t)
  const document = (await server.get('/api/openapi.json')).json
  const guide = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8')
  const folder = appFolder(t, 'client', {
    'openapi.json': JSON.stringify(document),
    'app.ts': APP,
    'guide.ts': /^```ts\n(.*?)^```$/ms.exec(guide)![1]!,
  })
  await run(process.execPath, [generator, 'openapi.json', 'parlance.ts', '--argumentStyle=object'], { cwd: folder })

  const options = {
    types: ['node'],
    lib: ['es2023', 'dom'],
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
  }
  for (const version of Object.keys(TYPESCRIPT) as (keyof typeof TYPESCRIPT)[]) {
    const { said } = await compileBy(version, folder, `tsconfig-${version}.json`, options)
    t.equal(said, '', `TypeScript ${version}`)
  }

  const names = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>)
    .flatMap(methods => Object.values(methods))
    .map(({ operationId }) => operationId)
  const client = await import(join(folder, 'parlance.ts'))
  t.strictSame(
    names.filter(name => typeof client[name] !== 'function'),
    [],
    'a function for each operation',
  )

  const env = { ...process.env, PARLANCE_URL: server.base }
  const { stdout } = await run(process.execPath, ['app.ts'], { cwd: folder, env })
  t.equal(stdout, '')
  const { key } = await server.organization('Otto')
  await server.project(key, 'web')
  const followed = await run(process.execPath, ['guide.ts'], { cwd: folder, env: { ...env, PARLANCE_TOKEN: key } })
  t.match(followed.stdout, /^[0-9a-f]{40} 1\nen 1 of 1\n\{ pay: 'Pay now' \} W\/"[0-9a-f]{40}"\n$/)
})
