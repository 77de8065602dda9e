/** Replaced translations of the memory's matches, compared with a slow walk over the git log. */
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { untilReady } from '../until-ready.ts'
import { noGit } from './git-client.ts'
import { isError, openScene, type Scene } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const search = (source: string, project: string, more = '', to = 'de') =>
  `/api/memory?from=en&to=${to}&source=${encodeURIComponent(source)}&project=${project}&past=true${more}`

/** A busy machine may read a part of the histories only: asks again until all are read, or `isEnough`. */
async function ask(
  query: Parameters<typeof search>,
  // biome-ignore lint/suspicious/noExplicitAny: an answer
  isEnough = ({ pastComplete }: any) => pastComplete === true,
) {
  // biome-ignore lint/suspicious/noExplicitAny: an answer
  let json: any
  await eventually(async () => {
    const reply = await untilReady(() => scene.server.get(search(...query), scene.acme.key))
    t.equal(reply.status, 200)
    json = reply.json
    return isEnough(json)
  })
  return json
}

interface Past {
  source: string
  message: string
  until: string
  replacedBy: string
}

/** A change of the one key, by the owner or by a token. */
interface Change {
  isOwner: boolean
  en?: string | null
  de?: string | null
}

/** What the answer must say: each translation with the source that it was written for, and who replaced it. */
function slowPast(folder: string, slug: string, mostChanges: number): Past[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const textAt = (commit: string, language: string): string | undefined => {
    try {
      return JSON.parse(git('show', `${commit}:${slug}/locales/${language}/common.json`)).greet
    } catch {
      return undefined
    }
  }
  const changes: (Past | undefined)[] = []
  let [message, source]: (string | undefined)[] = []
  const lines = git('log', '--first-parent', '--reverse', '--format=%H%x09%an%x09%ct', '--', slug).trim().split('\n')
  for (const line of lines) {
    const [commit, replacedBy, seconds] = line.split('\t') as [string, string, string]
    const now = textAt(commit, 'de')
    if (now === message) continue
    const until = new Date(Number(seconds) * 1000).toISOString()
    const isPair = message !== undefined && message !== '' && source !== undefined
    changes.unshift(isPair ? { source: source!, message: message!, until, replacedBy } : undefined)
    message = now
    source = textAt(commit, 'en')
  }
  const known = new Set([JSON.stringify([source, message])])
  return changes.slice(0, mostChanges).filter((one): one is Past => {
    const pair = JSON.stringify([one?.source, one?.message])
    return one !== undefined && !known.has(pair) && known.add(pair) !== undefined
  })
}

t.test('lists what a slow walk over the log lists, after random changes', { skip: noGit }, async t => {
  const { server, acme, member } = scene
  const text = (language: string, ...more: (string | null)[]) =>
    fc.constantFrom(`${language} one`, `${language} two`, `${language} three`, ...more)
  const change = fc.oneof(
    fc.record({ isOwner: fc.boolean(), de: text('de', null, '') }),
    fc.record({ isOwner: fc.boolean(), en: text('en') }),
    fc.record({ isOwner: fc.boolean(), de: text('de'), en: text('en') }),
  )
  let projects = 0
  const property = fc.asyncProperty(fc.array(change, { maxLength: 14 }), async (random: Change[]) => {
    const slug = `random${projects++}`
    const web = await server.project(acme.key, slug)
    const last = { isOwner: true, en: 'en the last one', de: 'de last' }
    for (const { isOwner, en, de } of [{ isOwner: false, en: 'en one' }, ...random, last] as Change[]) {
      const by = isOwner ? { as: member } : { key: acme.key }
      if (de === null) {
        await server.call('DELETE', `${web}/bundles/de/common/greet`, by)
        continue
      }
      const bundles = {
        ...(en && { en: { common: { greet: en } } }),
        ...(de !== undefined && { de: { common: { greet: de } } }),
      }
      await server.must('POST', `${web}/push?overwrite=true`, { ...by, body: { bundles } })
    }
    const { matches, past, pastComplete } = await ask(['en the last one', slug])
    const expected = slowPast(server.repository(acme.id), slug, 5)
    const place = { project: slug, namespace: 'common', key: 'greet' }
    t.strictSame(
      past,
      expected.map(({ source, message, ...rest }) => ({ source, message, ...place, ...rest })),
    )
    t.equal(pastComplete, true)
    t.match(matches, [{ message: 'de last', date: /^20.*Z$/ }])
  })
  await fc.assert(property, { numRuns: 4 })
})

t.test('says who replaced a translation and when, newest first, for the first matches', { skip: noGit }, async t => {
  const { server, acme, member } = scene
  const web = await server.project(acme.key, 'shop')
  const put = (language: string, body: object, by: object = { key: acme.key }) =>
    server.must('PUT', `${web}/bundles/${language}/common?overwrite=true`, { ...by, body })
  await put('en', { pay: 'Pay now', item_one: '{{count}} thing', item_other: '{{count}} things', other: 'Back' })
  await put('de', { pay: 'Bezahlen', item_one: '{{count}} Ding', item_other: '{{count}} Dinger', other: 'Zurück' })
  const first = await ask(['Pay now', 'shop'])
  t.strictSame(first.past, [], 'nothing was replaced yet')
  await put('de', { pay: 'Jetzt zahlen', item_other: '{{count}} Dinge' }, { as: member })
  const { json } = await server.get(`${web}/history?limit=1`, acme.key)
  const [{ date, author }] = json.revisions
  const replaced = { until: date, replacedBy: author.name }
  const { matches, past } = await ask(['Pay now', 'shop'])
  t.match(matches, [{ key: 'pay', message: 'Jetzt zahlen', date }])
  const place = { project: 'shop', namespace: 'common' }
  t.strictSame(past, [{ source: 'Pay now', message: 'Bezahlen', ...place, key: 'pay', ...replaced }])
  const plural = await ask(['{{n}} things', 'shop'])
  t.match(plural.past, [{ source: { cardinal: { one: '{{count}} thing' } }, key: 'item', ...replaced }])
  t.match(plural.past[0].message, { cardinal: { other: '{{count}} Dinger' } })

  await server.must('POST', `${web}/revert`, { key: acme.key, body: { revision: json.revisions[0].revision } })
  const undone = (await ask(['Pay now', 'shop'])).past
  t.match(undone, [{ message: 'Jetzt zahlen' }], 'after an undo the match itself is not past')
  t.equal(undone.length, 1)

  const plain = (await server.get(search('Pay now', 'shop').replace('past=true', 'past=false'), acme.key)).json
  t.notOk('past' in plain || 'date' in plain.matches[0], 'histories are read on request only')
  isError(t, await server.get(search('Pay now', 'shop').replace('past=true', 'past=x'), acme.key), 400, 'another word')
})

t.test('reads the past of five matches, and says that others have none', { skip: noGit }, async t => {
  const { server, acme } = scene
  const web = await server.project(acme.key, 'many')
  const keys = Array.from({ length: 7 }, (_, at) => `k${at}`)
  const bundle = (text: string) => Object.fromEntries(keys.map(key => [key, `${text} ${key}`]))
  await server.must('PUT', `${web}/bundles/en/common`, { key: acme.key, body: bundle('Move to the archive') })
  for (const text of ['alt', 'neu']) {
    await server.must('PUT', `${web}/bundles/de/common?overwrite=true`, { key: acme.key, body: bundle(text) })
  }
  const some = await ask(['Move to the archive k0', 'many'])
  t.strictSame([some.matches.length, some.past.length, some.pastComplete], [5, 5, true])
  const all = await ask(['Move to the archive k0', 'many', '&limit=7'], ({ past }) => past.length === 5)
  t.strictSame([all.matches.length, all.past.length, all.pastComplete], [7, 5, false])
})

t.test('shows a limited token the past of its own projects only', { skip: noGit }, async t => {
  const { server, acme } = scene
  for (const slug of ['seen', 'unseen']) {
    const web = await server.project(acme.key, slug)
    await server.must('PUT', `${web}/bundles/en/common`, { key: acme.key, body: { a: 'A sentence of both' } })
    for (const text of [`${slug} alt`, `${slug} neu`]) {
      await server.must('PUT', `${web}/bundles/de/common?overwrite=true`, { key: acme.key, body: { a: text } })
    }
  }
  const { key } = await server.mint(acme.owner, 'seen only', 'read', ['seen'])
  const query = search('A sentence of both', '').replace('&project=', '')
  /** Of an answer that is complete: a busy machine may read a part of the histories only. */
  const past = async (key: string): Promise<string[]> => {
    let found: Past[] = []
    await eventually(async () => {
      const { json } = await untilReady(() => server.get(query, key))
      found = json.past
      return json.pastComplete === true
    })
    return found.map(({ message }) => message).sort()
  }
  t.strictSame(await past(acme.key), ['seen alt', 'unseen alt'])
  t.strictSame(await past(key), ['seen alt'])
})
