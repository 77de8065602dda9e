/** Items of an inbox, from commits of a real store: suggestions, pages, renames, returns, limits. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { mentionsOf } from '../../src/bundle/mentions.ts'
import type { InboxMember } from '../../src/inbox/inbox-items.ts'
import { isNewer, positionText, readPosition } from '../../src/inbox/inbox-position.ts'
import { InboxReader, type InboxRequest, type InboxState } from '../../src/inbox/inbox-reader.ts'
import type { LookAtPast } from '../../src/store/revisions/past.ts'
import { Store } from '../../src/store/store.ts'
import { compute } from '../../src/worker/tasks.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }
const BEN = { name: 'Ben', email: 'ben@example.com' }
const MEMBERS = [
  { id: 'ann', name: 'Ann' },
  { id: 'ben', name: 'Ben' },
]
const ben: InboxMember = { id: 'ben', email: BEN.email, isMentionedIn: mentionsOf('ben', MEMBERS) }
const left = new AbortController().signal

async function open(t: Test) {
  let now = Date.parse('2026-11-20T10:00:00Z')
  const directory = join(t.testdir(), 'organizations')
  const store = await Store.open({ watch: false, directory, now: () => now })
  t.teardown(() => store.close())
  /** Commits files, each as JSON; null removes one. */
  const commit = async (subject: string, files: Record<string, object | null>, author = ANN): Promise<string> => {
    now += 1000
    const { revision } = await store.write('acme', author, tx => {
      for (const [path, value] of Object.entries(files)) {
        if (value === null) tx.remove(path)
        else tx.put(path, Buffer.from(JSON.stringify(value)))
      }
      return { result: undefined, message: { subject } }
    })
    return revision!
  }
  const reader = new InboxReader(2 ** 20)
  const computed: string[] = []
  const page = async (more: Partial<InboxRequest> = {}) => {
    const revision = await store.read('acme', snapshot => snapshot.revision)
    const state: InboxState = {
      revision,
      past: use => store.look('acme', use),
      compute: (name, taskIn) => {
        computed.push(name)
        return store.read('acme', now => compute(name, taskIn(now) as never) as never)
      },
    }
    return reader.page({ organization: 'acme', member: ben, since: 0, limit: 100, left, ...more }, state)
  }
  const kinds = async (more?: Partial<InboxRequest>) =>
    (await page(more)).items.map(({ kind, key, keys = 1 }) => `${kind} ${key} ${keys}`)
  return { store, commit, page, kinds, computed, tick: (seconds: number) => (now += (seconds - 1) * 1000) }
}

const comment = (id: string, by: { id: string; name: string }, text: string) => ({
  ...{ id, by, at: '2026-11-20T10:00:00.000Z', text },
})
const [byAnn, byBen] = [
  { id: 'ann', name: 'Ann' },
  { id: 'ben', name: 'Ben' },
]
const suggestion = (id: string, by: object | string, message = 'x') => ({
  ...{ id, message, by, at: '2026-11-20T10:00:00.000Z', of: '0123456789abcdef' },
})
const DE = 'web/suggestions/de/common.json'

t.test('reports suggestions that wait, by author, and how own ones ended', async t => {
  const { commit, kinds, page } = await open(t)
  const [one, two] = [suggestion('s1', byAnn), suggestion('s2', byAnn)]
  const first = await commit('web de/common: suggest a', { [DE]: { a: [one], b: [two, suggestion('s3', 'deepl')] } })
  t.strictSame(await kinds(), ['suggestion a 2', 'suggestion b 1'])
  t.strictSame((await page()).items[1], {
    ...{ id: `${first}-1`, kind: 'suggestion', project: 'web', namespace: 'common', key: 'b', language: 'de' },
    ...{ by: { id: null, name: 'deepl' }, date: '2026-11-20T10:00:01.000Z' },
  })
  const french = [{ languages: ['fr'], may: 'review' as const }]
  t.strictSame(await kinds({ member: { ...ben, rights: french } }), [], 'in a language of others')
  const translator = [{ languages: ['de'], may: 'translate' as const }]
  t.strictSame(await kinds({ member: { ...ben, rights: translator } }), [], 'without the right to review')

  await commit('web de/common: accept a', { [DE]: { b: [two, suggestion('s3', 'deepl')] } })
  t.strictSame(await kinds(), ['suggestion b 1', 'suggestion b 1'], 'an accepted one waits no more')
  await commit('web de/common: suggest c', { [DE]: { c: [suggestion('m1', byBen), suggestion('m2', byAnn)] } }, BEN)
  t.strictSame(await kinds(), ['suggestion c 1'], 'own ones are no news')
})

t.test('reads comments: mentions, replies, edits', async t => {
  const { commit, kinds } = await open(t)
  const path = 'web/comments/common.json'
  const hello = comment('c1', byAnn, 'Hello')
  await commit('web common: comment on a', { [path]: { a: [hello] } })
  t.strictSame(await kinds(), [])
  const answer = comment('c2', byBen, 'Hello @Ann')
  await commit('web common: comment on a', { [path]: { a: [hello, answer] } }, BEN)
  const [reply, other] = [comment('c3', byAnn, 'Thanks'), comment('c4', byAnn, 'Elsewhere')]
  await commit('web common: comment on a', { [path]: { a: [hello, answer, reply], b: [other] } })
  t.strictSame(await kinds(), ['reply a 1'])
  const edited = comment('c4', byAnn, 'Elsewhere, @ben')
  await commit('web common: edit a comment on b', { [path]: { a: [hello, answer, reply], b: [edited] } })
  t.strictSame(await kinds(), ['mention b 1', 'reply a 1'], 'an edit that mentions')
  await commit('web common: edit a comment on b', {
    [path]: { a: [hello, answer, reply], b: [comment('c4', byAnn, 'Elsewhere! @ben')] },
  })
  t.strictSame(await kinds(), ['mention b 1', 'reply a 1'], 'an edit that mentioned before')
  await commit('web common: rename a to z', {
    [path]: { z: [hello, answer, reply], b: [comment('c4', byAnn, 'Elsewhere! @ben')] },
  })
  t.strictSame(await kinds(), ['mention b 1', 'reply z 1'], 'the item follows the key')
  await commit('web common: remove a comment on b', { [path]: { z: [hello, answer, reply] } })
  await commit('web: undo add 1 key', { [path]: { z: [hello, answer, reply, comment('old', byAnn, 'Back')] } })
  t.strictSame(await kinds(), ['reply z 1'], 'neither a deleted comment nor one that returned')
})

t.test('reports stale texts in the languages that rights name, while they are stale', async t => {
  const { commit, kinds } = await open(t)
  const path = 'web/stale/common.json'
  const entry = (languages: string[]) => [{ source: 'Old', languages }]
  const german = { ...ben, rights: [{ languages: ['de'], may: 'translate' as const }] }
  await commit('web en/common: push', { [path]: { a: entry(['de', 'fr']), b: entry(['de']), c: entry(['fr']) } })
  t.strictSame(await kinds({ member: german }), ['stale a 2'])
  t.strictSame(await kinds(), [], 'a member without rights looks after no language')
  const reader = { ...ben, rights: [{ languages: ['de'], may: 'read' as const }] }
  t.strictSame(await kinds({ member: reader }), [])
  const elsewhere = { ...ben, rights: [{ projects: ['shop'], languages: ['de'], may: 'review' as const }] }
  t.strictSame(await kinds({ member: elsewhere }), [])
  await commit('web de/common: update a', { [path]: { a: entry(['fr']), b: entry(['de']), c: entry(['fr']) } }, BEN)
  t.strictSame(await kinds({ member: german }), ['stale b 1'])
  await commit('web en/common: update c', { [path]: { c: entry(['de', 'fr']) } }, BEN)
  t.strictSame(await kinds({ member: german }), [], 'own changes are no news')
})

t.test('pages go on where the last one ended, and end at what was read', async t => {
  const { commit, page, tick, store } = await open(t)
  const ids: string[] = []
  for (let n = 0; n < 130; n++) {
    const at = n % 3 === 0 ? 'web' : 'shop'
    const revision = await commit('suggest', { [`${at}/suggestions/de/n${n}.json`]: { a: [suggestion('s', byAnn)] } })
    ids.unshift(`${revision}-0`)
  }
  const found: string[] = []
  let next = undefined as Awaited<ReturnType<typeof page>>['next'] | undefined
  for (let pages = 0; pages < 100 && next !== null; pages++) {
    const read: Awaited<ReturnType<typeof page>> = await page({ limit: 7, from: next })
    t.ok(read.items.length <= 7)
    found.push(...read.items.map(({ id }) => id))
    next = read.next
  }
  t.strictSame(found, ids, 'each item once, the newest first')
  const to = readPosition(ids[60]!)!
  t.strictSame(
    (await page({ to: [to], limit: 200 })).items.map(({ id }) => id),
    ids.slice(0, 60),
  )
  const since = Date.parse('2026-11-20T10:02:00Z') / 1000
  t.equal((await page({ since, limit: 200 })).items.length, 11, 'from a time on')
  const gone = { revision: '1'.repeat(40), n: 0 }
  t.equal((await page({ to: [gone], since, limit: 200 })).items.length, 11, 'a rewritten history ends at the time')

  const past: LookAtPast = use => store.look('acme', use)
  const at = (id: string, time: number) => ({ ...readPosition(id)!, time })
  t.equal(await isNewer(past, at(ids[3]!, 5), at(ids[9]!, 4)), true)
  t.equal(await isNewer(past, at(ids[3]!, 4), at(ids[9]!, 5)), false)
  t.equal(await isNewer(past, { ...at(ids[3]!, 5), n: 2 }, at(ids[3]!, 5)), false)
  tick(0)
  const same = await commit('suggest', { 'web/suggestions/de/x.json': { a: [suggestion('s', byAnn)] } })
  const seconds = await store.commit('acme', same)
  const before = await store.commit('acme', readPosition(ids[0]!)!.revision)
  t.equal(before.time, seconds.time, 'two commits of one second')
  const [a, b] = [{ revision: same, n: 0, time: seconds.time }, at(ids[0]!, before.time)]
  t.strictSame([await isNewer(past, a, b), await isNewer(past, b, a)], [true, false])
})

t.test('a request looks at a limited number of commits, and compares each file once', async t => {
  const { commit, page, computed } = await open(t)
  await commit('suggest', { [DE]: { a: [suggestion('s', byAnn)] } })
  for (let n = 0; n < 520; n++) await commit('web: update', { 'web/project.json': { n } })
  const first = await page()
  t.strictSame(first.items, [])
  t.not(first.next, null)
  t.strictSame(computed, [], 'commits without news cost no comparison')
  const second = await page({ from: first.next! })
  t.match(second, { items: [{ kind: 'suggestion' }], next: null })
  t.strictSame(computed, ['sidecarNews', 'presentEntries'])
  await page({ from: first.next! })
  t.strictSame(computed.slice(2), ['presentEntries'])
})

t.test('compares a limited number of projects of one commit', async t => {
  const { commit, page } = await open(t)
  const files = Array.from({ length: 130 }, (_, n) => [
    `project${n}/suggestions/de/common.json`,
    { a: [suggestion(`s${n}`, byAnn)] },
  ])
  await commit('x', Object.fromEntries(files))
  const { items } = await page({ limit: 200 })
  t.equal(items.length, 100)
  t.equal(new Set(items.map(({ project }) => project)).size, 100)
  await commit('x', { 'project129/suggestions/de/common.json': { b: [suggestion('s', byAnn)] } })
  t.match((await page()).items[0], { project: 'project129', key: 'b' }, 'the next commit counts again')
})

t.test('survives damaged files and odd names', async t => {
  const { commit, kinds } = await open(t)
  await commit('x', {
    [DE]: { a: 'no list', b: [null, 1, { id: 2 }, { id: 'x', by: 7 }], ['__proto__']: [suggestion('s', byAnn)] },
    'web/suggestions/de/deep/common.json': { a: [suggestion('t', byAnn)] },
    'web/suggestions/x_y/common.json': { a: [suggestion('u', byAnn)] },
    'web/comments/common.json': [] as never,
    'web/stale/common.json': { a: 1 },
  })
  t.strictSame(await kinds(), ['suggestion __proto__ 1'])
  t.equal(readPosition(positionText({ revision: 'a'.repeat(40), n: 3 }))?.n, 3)
  for (const text of ['', 'all', `${'a'.repeat(40)}`, `${'a'.repeat(40)}-01`, `${'A'.repeat(40)}-0`]) {
    t.equal(readPosition(text), undefined, text)
  }
})
