/**
 * A server that is killed while it translates: no text is paid twice, except those of the request under way at a kill,
 * and people win. `KILLS` is the number of kills.
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

const KILLS = Number(process.env.KILLS ?? 6)
const TEXTS = 120
const BATCH = 4

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
  const source = Object.fromEntries(Array.from({ length: TEXTS }, (_, n) => [`k${n}`, `Text number ${n}.`]))
  await put('en/common', source)
  for (const language of ['de', 'pl']) await put(`${language}/common`, { own: 'x' })
  const read = async (place: string) => (await run.server.get(`${url}/bundles/${place}`, key)).json
  const body = { languages: ['de', 'pl'] }
  const { job } = (await run.server.must('POST', `${url}/translate`, { key, body })).json
  const now = async (id = job) => (await run.server.get(`${url}/jobs/${id}`, key)).json

  /** The number of requests that the machine had received at each kill. */
  const killed: number[] = []
  for (let kill = 0; kill < KILLS && (await now()).endedAt === null; kill++) {
    const before = fake.requests.length
    const wanted = before + 1 + Math.floor(random() * 6)
    await eventually(async () => fake.requests.length >= wanted || (await now()).endedAt !== null)
    await pause(80 * random())
    run.child.kill('SIGKILL')
    await run.exit
    t.ok(await eventually(() => fake.connections === 0), 'what it had sent has arrived')
    killed.push(fake.requests.length)
    run = await start(t, dataDir)
    if (kill === 0) {
      for (let n = TEXTS - 10; n < TEXTS; n++) await put(`de/common/k${n}`, { value: `von Hand ${n}` })
      for (let n = TEXTS - 15; n < TEXTS - 10; n++) await put(`en/common/k${n}`, { value: `Another text ${n}.` })
    }
  }
  t.ok(await eventually(async () => (await now()).endedAt !== null, 600_000))
  const ended = await now()
  t.match(ended, { state: 'done', refused: [], done: ended.of }, JSON.stringify(ended))
  t.ok(killed.length > 0, `${killed.length} kills, ${fake.requests.length} requests`)

  const german = await read('de/common')
  const english = await read('en/common')
  for (let n = TEXTS - 10; n < TEXTS; n++) t.equal(german[`k${n}`], `von Hand ${n}`)
  for (let n = 0; n < TEXTS - 15; n++) t.equal(german[`k${n}`], `» ${english[`k${n}`]}`)
  for (let n = TEXTS - 15; n < TEXTS - 10; n++) {
    t.ok([undefined, `» ${english[`k${n}`]}`].includes(german[`k${n}`]), 'no text of a source that changed')
  }

  const sent = new Map<string, number[]>()
  for (const [at, { json }] of fake.requests.entries()) {
    const { to, texts } = JSON.parse(json.messages[1].content)
    for (const { source } of Object.values(texts) as { source: string }[]) {
      const name = `${to} ${source}`
      sent.set(name, [...(sent.get(name) ?? []), at])
    }
  }
  // A request that was answered before the kill is stored, unless the kill came before the store.
  const underWay = new Set(killed.map(count => count - 1))
  const paidTwice = [...sent].filter(([, places]) => places.slice(0, -1).some(at => !underWay.has(at)))
  t.strictSame(paidTwice, [], 'only the last request before a kill is sent again')

  const before = fake.requests.length
  const rest = async () => {
    const { json } = await run.server.must('POST', `${url}/translate`, { key, body })
    await eventually(async () => (await now(json.job)).endedAt !== null)
    return now(json.job)
  }
  const second = await rest()
  t.match(second, { state: 'done' })
  t.ok(fake.requests.length - before <= 4, 'only what changed meanwhile')
  const again = fake.requests.length
  t.match(await rest(), { of: 0 })
  t.equal(fake.requests.length, again, 'no request without a change')

  const revisions = [...ended.revisions, ...second.revisions]
  await run.server.must('POST', `${url}/revert`, { key, body: { revisions } })
  const hand = Object.fromEntries(
    Array.from({ length: 10 }, (_, n) => TEXTS - 10 + n).map(n => [`k${n}`, `von Hand ${n}`]),
  )
  t.strictSame(await read('de/common'), { own: 'x', ...hand })
  t.strictSame(await read('pl/common'), { own: 'x' })
})
