/**
 * A server that is killed while it translates: no text is paid twice, except those of the request under way at a kill,
 * and people win. `KILLS` is the number of kills;
 * from 20 on, there are 500 source texts.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { type Run, start } from '../contract/process.ts'
import { dataFolder } from '../contract/server.ts'
import { eventually } from '../eventually.ts'
import { FakeMachine, translating } from '../machine/fake-machine.ts'
import { random } from '../random.ts'
import { noGit } from './git-client.ts'
import { judgeTexts, sourcesOf } from './source-texts.ts'

const KILLS = Number(process.env.KILLS ?? 6)
const TEXTS = KILLS < 20 ? 130 : 500
const BATCH = 10
const LANGUAGES = ['de', 'pl', 'ar']

t.setTimeout(300_000 + KILLS * 30_000)

t.test('loses no paid text, pays none twice, and replaces no text of a person', { skip: noGit }, async t => {
  const fake = await FakeMachine.open(t)
  const answer = translating(source => `» ${source}`)
  fake.script = (request, response) => {
    const send = () => !response.destroyed && response.writeHead(200).end(JSON.stringify(answer(request, response)))
    pause(20 + 60 * random()).then(send)
    return undefined
  }
  const dataDir = dataFolder(t)
  mkdirSync(dataDir, { recursive: true })
  const machines = [fake.row('openai', { name: 'Model', batch: BATCH, concurrency: 1, timeoutSeconds: 300 })]
  writeFileSync(join(dataDir, 'machines.json'), JSON.stringify(machines), { mode: 0o600 })

  let run: Run = await start(t, dataDir)
  const acme = await run.server.organization()
  const key = acme.key
  const url = await run.server.project(key, 'web')
  const put = (path: string, body: object) => run.server.must('PUT', `${url}/bundles/${path}`, { key, body })
  const source = sourcesOf(TEXTS)
  const simple = Object.keys(source).filter(name => /^(plain|trap|price)/.test(name))
  const [byHand, changed] = [simple.slice(-10), simple.slice(-15, -10)]
  await put('en/common', source)
  for (const language of LANGUAGES) await put(`${language}/common`, { own: 'x' })
  const read = async (place: string) => (await run.server.get(`${url}/bundles/${place}`, key)).json
  const body = { languages: LANGUAGES }
  const { job } = (await run.server.must('POST', `${url}/translate`, { key, body })).json
  const now = async (id = job) => (await run.server.get(`${url}/jobs/${id}`, key)).json

  /** The number of requests that the machine had received at each kill. */
  const killed: number[] = []
  for (let kill = 0; kill < KILLS && (await now()).endedAt === null; kill++) {
    const before = fake.requests.length
    const wanted = before + 1 + Math.floor(random() * (TEXTS / 50))
    await eventually(async () => fake.requests.length >= wanted || (await now()).endedAt !== null)
    await pause(80 * random())
    run.child.kill('SIGKILL')
    await run.exit
    t.ok(await eventually(() => fake.connections === 0), 'what it had sent has arrived')
    killed.push(fake.requests.length)
    run = await start(t, dataDir)
    if (kill === 0) {
      for (const name of byHand) await put(`de/common/${name}`, { value: `von Hand: ${source[name]}` })
      for (const name of changed) await put(`en/common/${name}`, { value: `Another: ${source[name]}` })
    }
  }
  t.ok(await eventually(async () => (await now()).endedAt !== null, 600_000))
  const ended = await now()
  t.match(ended, { state: 'done', refused: [], done: ended.of }, JSON.stringify(ended))
  t.ok(killed.length > 0, `${killed.length} kills, ${fake.requests.length} requests`)

  const english = await read('en/common')
  const stored = async () =>
    Object.fromEntries(
      await Promise.all(
        LANGUAGES.map(async language => {
          const { own, ...texts } = await read(`${language}/common`)
          t.equal(own, 'x')
          return [language, texts]
        }),
      ),
    )
  const before = await stored()
  for (const name of byHand) t.equal(before.de[name], `von Hand: ${source[name]}`)
  for (const name of changed) {
    for (const language of LANGUAGES)
      t.not(before[language][name], `» ${source[name]}`, 'no text of a source that changed')
  }
  await judgeTexts(t, english, before)

  const sent = new Map<string, number[]>()
  for (const [at, { json }] of fake.requests.entries()) {
    const { to, texts } = JSON.parse(json.messages[1].content)
    for (const { source } of Object.values(texts) as { source: unknown }[]) {
      const name = `${to} ${JSON.stringify(source)}`
      sent.set(name, [...(sent.get(name) ?? []), at])
    }
  }
  // A request that was answered before the kill is stored, unless the kill came before the store.
  const underWay = new Set(killed.map(count => count - 1))
  const paidTwice = [...sent].filter(([, places]) => places.slice(0, -1).some(at => !underWay.has(at)))
  t.strictSame(paidTwice, [], 'only the last request before a kill is sent again')

  const first = fake.requests.length
  const rest = async () => {
    const { json } = await run.server.must('POST', `${url}/translate`, { key, body })
    await eventually(async () => (await now(json.job)).endedAt !== null)
    return now(json.job)
  }
  const second = await rest()
  t.match(second, { state: 'done' })
  t.ok(second.of <= changed.length * LANGUAGES.length, 'only what changed meanwhile')
  t.ok(fake.requests.length - first <= LANGUAGES.length)
  const after = await stored()
  await judgeTexts(t, english, after)
  const status = (await run.server.get(`${url}/status`, key)).json.languages
  for (const { language, missing, incomplete, problems } of status) {
    t.strictSame({ missing, incomplete, problems }, { missing: 0, incomplete: 0, problems: 0 }, language)
  }
  const again = fake.requests.length
  t.match(await rest(), { of: 0 })
  t.equal(fake.requests.length, again, 'no request without a change')

  const revisions = [...ended.revisions, ...second.revisions]
  await run.server.must('POST', `${url}/revert`, { key, body: { revisions } })
  const hand = Object.fromEntries(byHand.map(name => [name, `von Hand: ${source[name]}`]))
  t.strictSame(await stored(), { de: hand, pl: {}, ar: {} })
})
