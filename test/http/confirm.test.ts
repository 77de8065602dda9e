import t from 'tap'
import { openScene, type Row, runRows, type Scene } from './server.ts'

let scene: Scene
const web = '/api/projects/web'

t.before(async () => {
  scene = await openScene(t)
  const { server, acme } = scene
  const key = acme.key
  await server.project(key, 'web')
  await server.put(`${web}/bundles/en/common`, key, {
    home: 'Home',
    item_one: 'item',
    item_other: 'items',
    plain: 'Plain',
  })
  for (const language of ['de', 'fr']) {
    const texts = { home: `Home ${language}`, item_one: 'x', item_other: 'y', plain: 'Plain' }
    await server.put(`${web}/bundles/${language}/common`, key, texts)
  }
  await server.put(`${web}/bundles/en/common`, key, { home: 'Start', item_other: 'many items' })
})

const notes = async (): Promise<object> => {
  const { server, acme } = scene
  await server.commits(acme.id)
  const listed = server.git(acme.id, 'ls-tree', 'HEAD', 'web/stale/common.json')
  return listed === '' ? {} : JSON.parse(server.git(acme.id, 'show', 'HEAD:web/stale/common.json'))
}

t.test('writes the stale notes of a source change in its own commit', async t => {
  const { server, acme } = scene
  t.strictSame(await notes(), {
    home: [{ source: 'Home', languages: ['de', 'fr'] }],
    item: [{ source: { cardinal: { one: 'item', other: 'items' } }, languages: ['de', 'fr'] }],
  })
  const [note] = server.git(acme.id, 'log', '-1', '--format=%s', '--', 'web/stale').split('\n')
  t.equal(note, 'web en/common: update 2 keys', 'in the commit of the source change')
  t.match(
    server.git(acme.id, 'show', 'HEAD:web/stale/common.json'),
    /^\{\n {2}"home": \[\n {4}\{\n {6}"source": "Home",\n/,
  )
})

t.test('refuses other roles and wrong requests', async t => {
  const { server, acme, reader, other, member } = scene
  const body = { language: 'de', namespace: 'common', keys: ['plain'] }
  const confirm = { method: 'POST', path: `${web}/confirm`, body }
  const { headers } = await server.get(`${web}/bundles/en/common`, acme.key)
  const etag = headers.etag!
  const rows: Row[] = [
    { ...confirm, name: 'nobody', status: 401 },
    { ...confirm, name: 'another organization', key: other.key, status: 404 },
    { ...confirm, name: 'a token that reads', key: reader, status: 403 },
    { ...confirm, name: 'a member', as: member, status: 200 },
    {
      ...confirm,
      name: 'no keys',
      key: acme.key,
      body: { ...body, keys: [] },
      status: 400,
      check: (reply, t) => t.equal(reply.json.error, 'The body does not fit: "keys" must not be empty.'),
    },
    { ...confirm, name: 'no language', key: acme.key, body: { ...body, language: undefined }, status: 400 },
    { ...confirm, name: 'the source language', key: acme.key, body: { ...body, language: 'en' }, status: 400 },
    { ...confirm, name: 'an unknown bundle', key: acme.key, body: { ...body, namespace: 'nope' }, status: 404 },
    { ...confirm, name: 'an unknown project', key: acme.key, path: '/api/projects/nope/confirm', status: 404 },
    {
      ...confirm,
      name: 'another source',
      key: acme.key,
      body: { ...body, expected: { 'en/common': 'W/"x"' } },
      status: 412,
    },
    { ...confirm, name: 'If-Match', key: acme.key, headers: { 'if-match': '*' }, status: 400 },
    { ...confirm, name: 'a bad name', key: acme.key, body: { ...body, expected: { common: etag } }, status: 400 },
    {
      ...confirm,
      name: 'the source as read',
      key: acme.key,
      body: { ...body, expected: { 'en/common': etag } },
      status: 200,
    },
  ]
  await runRows(t, server, rows)
})

t.test('clears the stale notes of confirmed keys in one commit', async t => {
  const { server, acme } = scene
  const before = await server.commits(acme.id)
  const body = { language: 'de', namespace: 'common', keys: ['home', 'item_one', 'plain', 'home', 'nope'] }
  const { json } = await server.post(`${web}/confirm`, acme.key, body)
  t.equal(json.confirmed, 2)
  t.strictSame(json.skipped, [
    { key: 'plain', reason: 'It is not stale.' },
    { key: 'nope', reason: 'It is not stale.' },
  ])
  t.strictSame(await notes(), {
    home: [{ source: 'Home', languages: ['fr'] }],
    item: [{ source: { cardinal: { one: 'item', other: 'items' } }, languages: ['fr'] }],
  })
  t.equal(await server.commits(acme.id), before + 1)
  t.equal(server.git(acme.id, 'log', '-1', '--format=%s %H').trim(), `web de/common: confirm 2 keys ${json.revision}`)
  const again = await server.post(`${web}/confirm`, acme.key, body)
  t.match(again.json, { confirmed: 0, revision: json.revision }, 'a second confirmation finds no stale key')

  const stale = await notes()
  const previewed = await server.post(`${web}/revert?dryRun=true`, acme.key, { revision: json.revision })
  t.match(previewed.json, { undoneBy: null, reverted: 0, stale: { added: 2, removed: 0 }, changes: [] })
  t.strictSame(await notes(), stale, 'a dry run changes nothing')
  const undone = await server.post(`${web}/revert`, acme.key, { revision: json.revision })
  t.match(undone.json, { undoneBy: /^\w{40}$/, reverted: 0, stale: { added: 2, removed: 0 } }, undone.text)
  t.match(await notes(), { home: [{ source: 'Home', languages: ['de', 'fr'] }] }, 'the confirmation can be undone')
  const redone = await server.post(`${web}/revert`, acme.key, { revision: undone.json.undoneBy })
  t.match(redone.json, { reverted: 0, stale: { added: 0, removed: 2 } }, 'the undo can be undone')
  const both = { revisions: [undone.json.undoneBy, redone.json.undoneBy] }
  t.match((await server.post(`${web}/revert`, acme.key, both)).json, { undoneBy: null, reverted: 0, stale: undefined })
  await server.post(`${web}/revert`, acme.key, { revision: redone.json.undoneBy })
  await server.put(`${web}/bundles/en/common`, acme.key, { home: 'Home', item_other: 'items' })
  t.strictSame(await notes(), {}, 'the former source text clears all notes')
})
