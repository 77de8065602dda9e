/** Translators and reviewers at work at once, while an app reads everything that it can. */
import type { Test } from 'tap'
import { random } from '../random.ts'
import { EventClient } from './event-client.ts'
import { openScene } from './server.ts'

/** Marks a text that no one has reviewed. */
const UNREVIEWED = 'unreviewed'

interface ReviewWork {
  translators: number
  reviewers: number
  /** Texts of each translator, and turns of each reviewer and of the app. */
  rounds: number
}

/** @returns the number of texts that were accepted */
export async function workUnderReview(t: Test, { translators, reviewers, rounds }: ReviewWork): Promise<number> {
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
  const pick = () => names[Math.trunc(random() * names.length)]!

  const translate = async (key: string, who: number) => {
    for (let round = 0; round < rounds; round++) {
      const value = `${UNREVIEWED} ${who} ${round}`
      const sends = [
        () => server.call('PUT', `${german}/${pick()}`, { key, body: { value } }),
        () => server.call('PUT', `${german}?overwrite=true`, { key, body: { [pick()]: value } }),
        () => server.call('POST', `${german}`, { key, body: { [`new${who}`]: value } }),
        () =>
          server.call('POST', `${web}/push?overwrite=true`, {
            key,
            body: { bundles: { de: { common: { [pick()]: value }, [`n${who}`]: { x: value } } } },
          }),
      ]
      const { status, text } = await sends[Math.trunc(random() * sends.length)]!()
      // A key may have all the suggestions that it can have.
      if (status >= 300 && !/has 20 suggestions/.test(text)) t.fail(`${status} ${text}`)
    }
  }
  let accepted = 0
  const review = async (key: string, who: number) => {
    for (let round = 0; round < rounds; round++) {
      const { suggestions } = (await server.get(`${web}/suggestions?limit=5`, key)).json
      const values = Object.fromEntries(suggestions.map(({ id }: { id: string }) => [id, `good ${who} ${round}`]))
      const ids = Object.keys(values)
      if (ids.length === 0) continue
      const action = random() < 0.7 ? 'accept' : 'reject'
      const body = { language: 'de', ids, ...(action === 'accept' && { anyway: true, values }) }
      const reply = await server.call('POST', `${web}/suggestions/${action}`, { key, body })
      if (reply.status >= 300) t.fail(`${reply.status} ${reply.text}`)
      accepted += reply.json.accepted ?? 0
    }
  }
  const reads = [
    german,
    `${web}/bundles/de`,
    `${web}/bundles/en+de/common?multi=true`,
    `${web}/export`,
    `${web}/types.d.ts`,
    `${web}/releases`,
    web,
  ]
  const poll = async () => {
    for (let round = 0; round < rounds; round++) {
      for (const path of reads) {
        const { status, text } = await server.get(path, acme.key)
        if (status >= 400) t.fail(`${path}: ${status} ${text}`)
        if (text.includes(UNREVIEWED)) t.fail(`${path} shows an unreviewed text`)
      }
    }
  }
  const work: Promise<void>[] = [poll(), poll()]
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
