/** The commits of each kind of write have subjects that the dashboard shows as sentences. */
import t from 'tap'
import { readSubject } from '../../src/bundle/read-subject.ts'
import { openWeb } from '../contract/server.ts'

t.test('gives each kind of write a subject that reads back', async t => {
  const { server, acme, web } = await openWeb(t)
  const { key } = acme
  const newest = async (project = web) => (await server.get(`${project}/history?limit=1`, key)).json.revisions[0]
  const kinds: string[] = []
  const expectKind = async (kind: string, project = web) => {
    const { subject } = await newest(project)
    t.equal(readSubject(subject, project.split('/').at(-1)!)?.kind, kind, subject)
    kinds.push(kind)
  }
  const send = (method: string, path: string, body?: unknown) =>
    server.must(method, path, { key, ...(body !== undefined && { body }) })
  const bundle = (language: string) => `${web}/bundles/${language}/common`

  await expectKind('create-project')
  await send('PUT', `${bundle('en')}/a`, { value: 'A' })
  await expectKind('add')
  const added = (await newest()).revision
  await send('PUT', `${bundle('en')}/a`, { value: 'AA' })
  await expectKind('update')
  await send('PUT', bundle('de'), { a: 'Ä', b: 'B', c: 'C' })
  await expectKind('push')
  await send('PUT', `${bundle('en')}/a`, { value: 'AAA' })
  await send('POST', `${web}/confirm`, { language: 'de', namespace: 'common', keys: ['a'] })
  await expectKind('confirm')
  await send('DELETE', `${bundle('de')}/c`)
  await expectKind('delete')
  await send('POST', `${web}/rename-key`, { namespace: 'common', from: 'b', to: 'bb' })
  await expectKind('rename')
  await send('POST', `${web}/delete-key`, { namespace: 'common', key: 'bb' })
  await expectKind('delete')
  await send('POST', `${web}/push`, { bundles: { de: { common: { d: 'D' } }, fr: { common: { d: 'D' } } } })
  await expectKind('push')
  await send('POST', `${web}/push`, { bundles: { fr: { common: { e: 'E' } } }, message: 'Texts of the checkout' })
  t.equal((await newest()).subject, 'Texts of the checkout')
  t.equal(readSubject((await newest()).subject, 'web'), undefined, 'a message of the caller')
  const own = (await newest()).revision
  await send('POST', `${web}/revert`, { revision: own })
  await expectKind('undo')
  await send('POST', `${web}/revert`, { revision: (await newest()).revision })
  await expectKind('redo')
  await send('POST', `${web}/revert`, { revisions: [own, (await newest()).revision] })
  await expectKind('undo-commits')
  await send('DELETE', bundle('fr'))
  await expectKind('delete-bundle')
  await send('DELETE', `${web}/bundles/de`)
  await expectKind('delete-language')
  await send('PATCH', web, { name: 'Shop', defaultFormat: 'i18next-json-flat' })
  await expectKind('change-project')
  await send('POST', `${web}/restore`, { at: added })
  await expectKind('restore')
  await send('DELETE', web)
  await expectKind('delete-project')
  t.equal(new Set(kinds).size, 15)
})
