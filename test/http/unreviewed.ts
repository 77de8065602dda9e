/** Translators and reviewers at work at once, while an app reads everything that it can. */
import type { Test } from 'tap'
import { random } from '../random.ts'
import { EventClient } from './event-client.ts'
import { openScene } from './server.ts'
import { unzip } from './unzip.ts'

/** Marks a text that no one has reviewed. */
const UNREVIEWED = 'unreviewed'

/** Releases of each app. */
const MOST_RELEASES = 20

interface ReviewWork {
  translators: number
  reviewers: number
  seconds: number
}

/** @returns the number of texts that were accepted */
export async function workUnderReview(t: Test, { translators, reviewers, seconds }: ReviewWork): Promise<number> {
  const { server, acme } = await openScene(t)
  const web = await server.project(acme.key, 'web')
  const names = Array.from({ length: 20 }, (_, n) => `k${n}`)
  const texts = (word: string) => Object.fromEntries(names.map(name => [name, `${word} ${name}`]))
  for (const language of ['en', 'de'])
    await server.must('PUT', `${web}/bundles/${language}/common`, { key: acme.key, body: texts(language) })
  await server.must('PATCH', web, { key: acme.key, body: { review: { de: { fourEyes: false } } } })
  const mint = async (may: string): Promise<string> => {
    const body = { name: may, rights: [{ languages: ['de'], may }] }
    return (await server.must('POST', '/api/tokens', { as: acme.owner, body })).json.key
  }
  const start = await server.newest(acme.id)
  const live = await new EventClient(server.base, `/api/events?since=${start}`, { 'x-api-key': acme.key }).opened()
  t.teardown(() => live.close())
  const german = `${web}/bundles/de/common`
  const end = Date.now() + seconds * 1000
  const isOver = () => Date.now() >= end
  const pick = () => names[Math.trunc(random() * names.length)]!

  const translate = async (key: string, who: number) => {
    for (let round = 0; !isOver(); round++) {
      const value = `${UNREVIEWED} ${who} ${round}`
      const name = pick()
      const at = async () => {
        const { revisions } = (await server.get(`${web}/history?limit=100`, acme.key)).json
        return revisions[Math.trunc(random() * revisions.length)].revision
      }
      const post = (path: string, body: object) => server.call('POST', `${web}${path}`, { key, body })
      const sends = [
        () => server.call('PUT', `${german}/${name}`, { key, body: { value } }),
        () => server.call('PUT', `${german}?overwrite=true`, { key, body: { [name]: value } }),
        () => server.call('POST', german, { key, body: { [`new${who}`]: value } }),
        () =>
          post('/push?overwrite=true', { bundles: { de: { common: { [name]: value }, [`n${who}`]: { x: value } } } }),
        () => post('/changes', { set: [{ language: 'de', namespace: 'common', key: name, value }] }),
        () => post(`/suggestions/de/common/${name}`, { value }),
        async () => post('/restore', { at: await at(), language: 'de' }),
        async () => post('/revert', { revision: await at() }),
        () => server.call('DELETE', `${german}/${name}`, { key }),
        () => post('/rename-key', { namespace: 'common', from: name, to: pick() }),
      ]
      const { status, text } = await sends[Math.trunc(random() * sends.length)]!()
      // A key may be full of suggestions, or gone. An undo may concern texts or suggestions of others.
      if (status >= 500) t.fail(`${status} ${text}`)
    }
  }
  let accepted = 0
  const review = async (key: string, who: number) => {
    for (let round = 0; !isOver(); round++) {
      const { suggestions } = (await server.get(`${web}/suggestions?limit=5`, key)).json
      const values = Object.fromEntries(suggestions.map(({ id }: { id: string }) => [id, `good ${who} ${round}`]))
      const ids = Object.keys(values)
      if (ids.length === 0) continue
      const action = random() < 0.7 ? 'accept' : 'reject'
      const body = { language: 'de', ids, ...(action === 'accept' && { anyway: true, values }) }
      const reply = await server.call('POST', `${web}/suggestions/${action}`, { key, body })
      if (reply.status >= 500) t.fail(`${reply.status} ${reply.text}`)
      accepted += reply.json.accepted ?? 0
    }
  }
  const reads = [
    german,
    `${web}/bundles/de`,
    `${web}/bundles/en+de/common?multi=true`,
    `${web}/types.d.ts`,
    `${web}/releases`,
    web,
  ]
  const poll = async (app: number) => {
    for (let round = 0; !isOver(); round++) {
      for (const path of reads) {
        const { status, text } = await server.get(path, acme.key)
        // The bundle may have lost its last key.
        if (status >= 400 && status !== 404) t.fail(`${path}: ${status} ${text}`)
        if (text.includes(UNREVIEWED)) t.fail(`${path} shows an unreviewed text`)
      }
      const files = unzip((await server.get(`${web}/export`, acme.key)).bytes)
      if ([...files.values()].some(file => file.includes(UNREVIEWED))) t.fail('an export has an unreviewed text')
      const name = `r${app}-${round}`
      if (round < MOST_RELEASES) await server.must('POST', `${web}/releases`, { key: acme.key, body: { name } })
      const released = (await server.get(`${web}/bundles/de?at=${name}`, acme.key)).text
      if (released.includes(UNREVIEWED)) t.fail('a release has an unreviewed text')
    }
  }
  const work: Promise<void>[] = [poll(0), poll(1)]
  for (let who = 0; who < translators; who++) work.push(translate(await mint('translate'), who))
  for (let who = 0; who < reviewers; who++) work.push(review(await mint('review'), who))
  await Promise.all(work)
  t.notOk(JSON.stringify(live.events).includes(UNREVIEWED), 'no event shows one')
  const revision = await server.newest(acme.id)
  const history = server.git(acme.id, 'log', '-p', '--format=', revision, '--', 'web/locales')
  t.notOk(history.includes(UNREVIEWED), 'no clone has one among its texts')
  t.match(server.git(acme.id, 'log', '-p', '--format=', revision, '--', 'web/suggestions'), UNREVIEWED, 'they waited')
  return accepted
}
