/** A token limited to some projects finds no text of others in the memory, by any route, tool or machine. */
import t from 'tap'
import { eventually } from '../eventually.ts'
import { translating } from '../machine/fake-machine.ts'
import { Agent } from '../mcp/agent.ts'
import { TranslationStage } from './translation-stage.ts'

const SOURCE = 'Pay for the cart at once'
/** What stands in the other project alone. */
const SECRET = /GEHEIM|hidden/

t.test('shows no text of a project out of reach', async t => {
  const stage = await TranslationStage.open(t)
  const { server, acme } = stage.scene
  stage.list(stage.fake.row('openai', { name: 'Model' }))
  stage.fake.script = translating(source => `» ${source}`)
  const shown = await stage.project('shown', {
    'en/common': { pay: SOURCE, later: `${SOURCE}, or later`, own: 'Own' },
    'de/common': { own: 'Eigen' },
  })
  const hidden = await stage.project('hidden', {
    'en/common': { pay: SOURCE, past: SOURCE },
    'de/common': { pay: 'GEHEIM bezahlen', past: 'GEHEIM von früher' },
  })
  await stage.call('PUT', `${hidden}/bundles/de/common/past`, { value: 'Neu' })
  const body = { name: 'limited', scope: 'write', projects: ['shown'] }
  const limited = (await server.must('POST', '/api/tokens', { as: acme.owner, body })).json.key

  /** Each answer, once the memory is there. */
  const ways = (key: string): [name: string, ask: () => Promise<string>][] => {
    const agent = new Agent(server, key)
    const get = (path: string) => async () => (await server.get(path, key)).text
    const post = (path: string, body: object) => async () => (await server.call('POST', path, { key, body })).text
    const tool = (name: string, input: object) => async () => JSON.stringify(await agent.call(name, input))
    const memory = `/api/memory?source=${encodeURIComponent(SOURCE)}&from=en&to=de`
    const row = { language: 'de', namespace: 'common', key: 'pay' }
    return [
      ['memory', get(memory)],
      ['memory with the past', get(`${memory}&past=true`)],
      ['context', get(`${shown}/context/de/common/pay`)],
      ['suggest', post(`${shown}/suggest`, row)],
      ['suggest by a machine', post(`${shown}/suggest`, { ...row, machine: 'Model' })],
      ['the tool memory', tool('memory', { source: SOURCE, from: 'en', to: 'de' })],
      ['the tool get_key', tool('get_key', { project: 'shown', namespace: 'common', key: 'pay', languages: ['de'] })],
    ]
  }
  for (const [name, ask] of ways(acme.key)) {
    t.ok(await eventually(async () => SECRET.test(await ask())), `${name} finds it without a limit`)
  }
  stage.fake.requests.length = 0
  for (const [name, ask] of ways(limited)) {
    const answer = await ask()
    t.notMatch(answer, SECRET, name)
    t.notMatch(answer, /"error"/, name)
  }
  t.equal((await server.get(`${hidden}/memory.tmx?language=de`, limited)).status, 404)
  t.equal((await server.get('/api/memory?source=Pay&from=en&to=de&project=hidden', limited)).status, 404)

  const job = await stage.run(shown, { languages: ['de'] }, { key: limited })
  t.match(job, { state: 'done', of: 2, written: 2, fromMemory: 0 })
  t.notMatch(JSON.stringify(stage.fake.requests), SECRET, 'nothing is sent to the machine')
  t.strictSame(await stage.read(shown, 'de/common'), {
    own: 'Eigen',
    pay: `» ${SOURCE}`,
    later: `» ${SOURCE}, or later`,
  })
})
