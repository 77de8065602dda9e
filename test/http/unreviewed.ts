/** Translators, reviewers, a machine and an operator at work at once, while an app reads everything that it can. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { eventually, severalFolders } from '../contract/server.ts'
import { FakeMachine } from '../machine/fake-machine.ts'
import { newFolder } from '../new-folder.ts'
import { random } from '../random.ts'
import { EventClient } from './event-client.ts'
import { openScene, type Reply } from './server.ts'
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
  const { server, acme } = await openScene(t, { MACHINES_FILE: await machineOfUnreviewed(t) })
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
  /** Jobs by a translator and by a token that may review, for texts that German lacks or that are stale. */
  const translateByMachine = async (key: string) => {
    // On a busy machine no job of the time may get as far as a suggestion.
    let hasWritten = false
    for (let round = 0; !isOver() || !hasWritten; round++) {
      const added = { [`m${round}`]: `only in English ${round}`, [pick()]: `changed ${round}` }
      await server.must('PUT', `${web}/bundles/en/common?overwrite=true`, { key: acme.key, body: added })
      const body = { languages: ['de'], ...(round % 2 && { save: 'suggestion' }) }
      const { status, json } = await server.call('POST', `${web}/translate`, { key, body })
      if (status === 503) continue
      const read = async () => (await server.get(`${web}/jobs/${json.job}`, key)).json
      await eventually(async () => (await read()).endedAt !== null)
      hasWritten ||= (await read()).revisions.length > 0
    }
  }
  /** The operator's own edits of the work tree are written. They bring no text that waits. */
  const editWorkTree = async () => {
    const file = join(server.repository(acme.id), 'web/locales/de/common.json')
    for (let round = 0; !isOver(); round++) {
      try {
        const texts = JSON.parse(readFileSync(file, 'utf8'))
        writeFileSync(file, JSON.stringify({ ...texts, [pick()]: `operator ${round}` }))
      } catch (error) {
        // The file may be gone, or half written.
        if (!(error instanceof SyntaxError) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
      await pause(700)
    }
  }
  const source = encodeURIComponent(`word ${names[0]}`)
  const reads = [
    german,
    `${web}/bundles/de`,
    `${web}/bundles/en+de/common?multi=true`,
    `${web}/types.d.ts`,
    `${web}/releases`,
    web,
    `${web}/diff?from=${start}&language=de`,
    `${web}/status/keys?language=de`,
    `/api/memory?source=${source}&from=en&to=de`,
    `${web}/memory.tmx?language=de`,
  ]
  /** The entity tag and the revision of a bundle change with its reviewed texts alone. */
  const tagged = new Map<string, string>()
  const compareTags = ({ headers: { etag }, text }: Reply) => {
    const known = tagged.get(etag!) ?? text
    tagged.set(etag!, text)
    if (known !== text) t.fail(`two texts of the tag ${etag}`)
  }
  const { key: app } = await server.mint(acme.owner, 'app', 'read')
  const poll = async (nth: number) => {
    for (let round = 0; !isOver(); round++) {
      for (const path of reads) {
        const { status, text } = await server.get(path, app)
        // The bundle may have lost its last key. Searches and plans have a queue.
        if (status >= 400 && status !== 404 && status !== 503) t.fail(`${path}: ${status} ${text}`)
        if (text.includes(UNREVIEWED)) t.fail(`${path} shows an unreviewed text`)
      }
      const first = await server.get(german, app)
      if (first.status === 200) {
        compareTags(first)
        const again = await server.get(german, app, { 'if-none-match': first.headers.etag! })
        if (again.status === 200) compareTags(again)
        const head = await server.call('HEAD', german, { key: app })
        if (head.text !== '') t.fail('a HEAD has a body')
      }
      const files = unzip((await server.get(`${web}/export`, app)).bytes)
      if ([...files.values()].some(file => file.includes(UNREVIEWED))) t.fail('an export has an unreviewed text')
      const name = `r${nth}-${round}`
      if (round < MOST_RELEASES) await server.must('POST', `${web}/releases`, { key: acme.key, body: { name } })
      const released = (await server.get(`${web}/bundles/de?at=${name}`, acme.key)).text
      if (released.includes(UNREVIEWED)) t.fail('a release has an unreviewed text')
    }
  }
  const work: Promise<void>[] = [poll(0), poll(1)]
  for (let who = 0; who < translators; who++) work.push(translate(await mint('translate'), who))
  for (let who = 0; who < reviewers; who++) work.push(review(await mint('review'), who))
  work.push(translateByMachine(await mint('translate')), translateByMachine(acme.key))
  if (!severalFolders) work.push(editWorkTree())
  await Promise.all(work)
  t.notOk(JSON.stringify(live.events).includes(UNREVIEWED), 'no event shows one')
  const revision = await server.newest(acme.id)
  const history = server.git(acme.id, 'log', '-p', '--format=', revision, '--', 'web/locales')
  t.notOk(history.includes(UNREVIEWED), 'no clone has one among its texts')
  const waited = server.git(acme.id, 'log', '-p', '--format=', revision, '--', 'web/suggestions')
  t.match(waited, UNREVIEWED, 'they waited')
  t.match(waited, `${UNREVIEWED} by a machine`, 'those of the machine, too')
  return accepted
}

/** The list of a machine. No one has reviewed its translations. */
async function machineOfUnreviewed(t: Test): Promise<string> {
  const { url } = await FakeMachine.open(t, ({ json }) => ({
    translatedText: json.q.map((_: string, n: number) => `${UNREVIEWED} by a machine ${n} ${random()}`),
  }))
  const file = join(newFolder(t, { list: JSON.stringify([{ name: 'fake', kind: 'libretranslate', url }]) }), 'list')
  chmodSync(file, 0o600)
  return file
}
