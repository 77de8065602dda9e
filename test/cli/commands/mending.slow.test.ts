/** `restore`, `undo`, `rename` and `release create`: what they change, what they say undoes it, and whom they ask. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startParlance } from '../command.ts'
import { command } from '../in-process.ts'

const { server, acme, tokens, env } = await startParlance(t)
const web = await server.project(acme.key, 'web')
const put = (path: string, value: unknown) =>
  server.must('PUT', `${web}/bundles/${path}`, { key: acme.key, body: { value } })
const read = async (bundle: string) => (await server.get(`${web}/bundles/${bundle}`, acme.key)).json
const newest = async () => (await server.get(`${web}/history?limit=1`, acme.key)).json.revisions[0].revision
await server.must('POST', `${web}/push`, {
  key: acme.key,
  body: { bundles: { en: { shop: { pay: 'Pay', nav: { home: 'Home' } } }, de: { shop: { pay: 'Zahlen' } } } },
})

const cwd = join(server.dataDir, '../app')
mkdirSync(cwd)
const run = (line: string, more: object = {}) =>
  command(cwd, line.split(' '), { env: { ...env, PARLANCE_PROJECT: 'web' }, ...more })
const [YES, NO] = [['y'], ['n']]

t.test('a release, a restore to it, and an undo of that', async t => {
  t.match(await run('release create v1'), { code: 0, out: /^v1 is web at revision [0-9a-f]{40}, for good\.\n/ })
  t.match(await run('release create v1 --json'), { code: 1, json: { error: /releases do not move/, status: 409 } })
  await put('en/shop/pay', 'TODO')
  await put('de/shop/pay', 'TODO')
  const before = await newest()
  const dry = await run('restore shop:pay --at v1 --dry-run')
  t.equal(
    dry.out,
    `de/shop
  ~ pay  [-TODO-]{+Zahlen+}
en/shop
  ~ pay  [-TODO-]{+Pay+}
Nothing was changed: this was a dry run.
`,
  )
  t.equal(await newest(), before, 'a dry run writes nothing')
  const { json } = await run('restore pay --at v1 --language de --yes --json')
  const by = await newest()
  const changes = [{ language: 'de', namespace: 'shop', key: 'pay', before: 'TODO', after: 'Zahlen' }]
  t.match(json, { project: 'web', namespace: 'shop', key: 'pay', at: 'v1', restoredBy: by, updated: 1, changes })
  const all = await run('restore shop --at v1 --yes')
  t.match(all, {
    code: 0,
    out: new RegExp(`Restored 1 key: 1 updated\\.\\nTo undo it: \`parlance undo ${await newest()}\`\\n$`),
  })
  t.match(await run('restore shop --at v1 --yes'), { code: 0, out: 'There is nothing to restore: it is as it was.\n' })
  const undone = await run(`undo ${by} --yes`)
  t.match(undone.out, /^de\/shop\n {2}~ pay {2}\[-Zahlen-\]\{\+TODO\+\}\nStale by it: 1 translation\nUndone: 1 key of /)
  t.strictSame(await read('de/shop'), { pay: 'TODO' })
})

t.test('reports keys that an undo cannot revert, and fails without any other', async t => {
  await put('en/shop/pay', 'Pay 2')
  const bad = await newest()
  await put('en/shop/pay', 'Pay 3')
  const ended = await run(`undo ${bad} --yes`)
  t.equal(ended.code, 1)
  t.match(ended.out, /^stays {2}en\/shop {2}pay: .*\nNothing was undone; 1 key stays as it is, wholly or in part\.\n$/)
  t.match(await run(`undo ${bad} --dry-run --json`), {
    code: 1,
    json: { reverted: 0, undoneBy: null, skipped: [{ key: 'pay' }] },
  })
})

t.test('what was undone already is not said to have changed since', async t => {
  const [first] = [await read('en/shop'), await put('en/shop/pay', 'Pay 4'), await put('en/shop/extra', 'Extra')]
  const [extra, pay] = (await server.get(`${web}/history?limit=2`, acme.key)).json.revisions.map(
    ({ revision }: { revision: string }) => revision,
  )
  t.match(await run(`undo ${pay} --yes`), { code: 0 })
  const again = await run(`undo ${pay} --yes`)
  t.match(again, { code: 1, out: 'There is nothing left to undo: it is as it was before already.\n' })
  await put('en/shop/extra', 'Other')
  const both = await run(`undo ${pay} ${extra} --yes`)
  t.match(both, { code: 1, out: /\nNothing was undone; 2 keys stay as they are, wholly or in part\.\n$/ })
  await server.must('DELETE', `${web}/bundles/en/shop/extra`, { key: acme.key })
  t.strictSame(await read('en/shop'), first)
})

t.test('several commits are undone as one, which can be undone', async t => {
  await put('en/shop/one', 'One')
  const first = await newest()
  await put('en/shop/two', 'Two')
  const second = await newest()
  const dry = await run(`undo ${first} ${second} --dry-run`)
  t.match(dry, { code: 0, out: `Would undo 2 keys of ${second.slice(0, 7)}, ${first.slice(0, 7)}. Nothing` })
  const { code, json } = await run(`undo ${first} ${second} --yes --json`)
  t.match([code, json], [0, { revisions: [second, first], reverted: 2, undoneBy: await newest() }])
  const { one, two } = await read('en/shop')
  t.strictSame([one, two], [undefined, undefined])
})

t.test('a rename moves a key in all languages', async t => {
  const dry = await run('rename shop:pay cart.pay --dry-run')
  t.equal(dry.out, '  de  TODO\n  en  Pay 3\nNothing was changed: this was a dry run.\n')
  const { json } = await run('rename pay shop:cart.pay --yes --json')
  t.strictSame(json, {
    project: 'web',
    namespace: 'shop',
    from: 'pay',
    to: 'cart.pay',
    languages: ['de', 'en'],
    revision: await newest(),
    dryRun: false,
  })
  t.strictSame(await read('de/shop'), { cart: { pay: 'TODO' } })
  const undone = await run(`undo ${json.revision} --yes`)
  t.equal(undone.code, 0)
  t.strictSame(await read('de/shop'), { pay: 'TODO' })
})

t.test('a prefix is refused, with at most ten of its keys', async t => {
  await put('en/shop/nav.item', { one: 'One', other: 'Others' })
  const before = await newest()
  const told = /"nav\.?" is a prefix of keys, and rename renames one key only\.[\s\S]*nav\.home, nav\.item\./
  for (const words of ['nav menu --dry-run', 'nav menu --yes', 'nav. menu. --yes']) {
    t.match(await run(`rename --namespace shop ${words}`), { code: 2, err: told }, words)
  }
  for (let at = 0; at < 10; at++) await put(`en/shop/nav.k${at}`, 'Text')
  const many = await run('rename shop:nav menu --yes')
  t.match(many, { code: 2, err: /nav\.home, nav\.item, nav\.k0, .*nav\.k7 and 2 more/s })
  t.not(await newest(), before, 'the texts put here')
  t.match(await read('en/shop'), { nav: { home: String, item_one: 'One' } }, 'nothing was renamed')
  for (const key of ['item', ...Array.from({ length: 10 }, (_, at) => `k${at}`)]) {
    await server.must('DELETE', `${web}/bundles/en/shop/nav.${key}`, { key: acme.key })
  }
})

t.test('prints the plan at a terminal, and asks', async t => {
  await put('en/shop/pay', 'Wrong')
  const at = await newest()
  const declined = await run('restore shop:pay --at v1', { typed: NO })
  t.match(declined.out, /Wrong.*Pay/)
  t.match(declined.out, /Nothing was changed\.\n$/)
  t.equal(await newest(), at)
  const agreed = await run('restore shop:pay --at v1', { typed: YES })
  t.match(agreed, { code: 0, out: /Restored 2 keys: 2 updated\.\nTo undo it: / })
  t.match(await run(`undo ${at}`, { typed: NO }), { code: 1 }, 'it was undone before')
  t.match(await run('rename shop:pay buy', { typed: YES }), { code: 0, out: /Renamed pay to buy in de, en\./ })
  t.match(await run('undo HEAD --dry-run', { typed: [] }), { code: 1, err: /no revision "HEAD"/ })
})

t.test('the exit codes, and what is said', async t => {
  await server.must('PUT', `${web}/bundles/en/home`, { key: acme.key, body: { x: 'x' } })
  const rows: [words: string, code: number, told: RegExp][] = [
    ['restore shop:buy', 2, /--at/],
    [
      'restore shop:buy --at v1',
      2,
      /no terminal to ask at: Restore it as it was at v1\? Give --yes, or --dry-run to look\./,
    ],
    ['restore --at v1 --yes', 2, /What is to be restored\? Name a key/],
    ['restore shop:none --at v1 --yes', 1, /none/],
    ['restore shop --at v9 --yes', 1, /v9/],
    ['restore pay --at v1 --yes', 2, /The namespace of "pay" is missing\./],
    ['undo', 2, /revision/],
    ['undo 0000', 2, /no terminal to ask at: Undo it\? Give --yes/],
    ['undo 0000000000000000000000000000000000000000 --yes', 1, /0000/],
    ['rename shop:buy home:buy --yes', 2, /within its namespace: shop, not home/],
    ['rename shop:none some --dry-run', 1, /No language has the key "none" in namespace "shop"/],
    ['rename shop:buy nav.home --dry-run', 1, /There is a key "nav\.home" already, in en\./],
    ['rename shop:none some --yes', 1, /No language has the key/],
    ['rename shop:buy', 2, /missing|to/],
    ['release', 2, /Which command\? create, list\./],
    ['release create ..', 2, /The release name "\.\." is not valid/],
  ]
  for (const [words, code, told] of rows) {
    const ended = await run(words)
    t.equal(ended.code, code, `${words}: ${ended.err}`)
    t.match(ended.err, told, words)
    t.equal(ended.out, '', words)
  }
  const env = { PARLANCE_URL: server.base, PARLANCE_TOKEN: tokens.read, PARLANCE_PROJECT: 'web' }
  t.match(
    await run('rename shop:buy sell --yes', { env }),
    { code: 1, err: /may only read/ },
    'a token that only reads',
  )
})

t.test('what may be a key and a namespace is nothing to guess', async t => {
  await server.must('PUT', `${web}/bundles/en/translation`, { key: acme.key, body: { shop: 'A shop' } })
  t.match(await run('restore shop --at v1 --yes'), {
    code: 2,
    err: /"shop" is a namespace, and a key too\. Give --namespace shop/,
  })
  t.match(await run('restore --namespace shop --at v1 --dry-run'), { code: 0 })
})
