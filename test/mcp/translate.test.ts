/** An agent lets a machine translate: the plan with its cost, the job, its undo. */
import t from 'tap'
import { eventually } from '../contract/server.ts'
import { PRICE, TranslationStage } from '../http/translation-stage.ts'
import { translating } from '../machine/fake-machine.ts'
import { Agent } from './agent.ts'

t.test('plans, starts, follows and undoes a job', async t => {
  const stage = await TranslationStage.open(t)
  stage.list(stage.fake.row('openai', { name: 'Model', price: PRICE }))
  stage.fake.script = translating(source => `» ${source}`)
  const url = await stage.project('web', {
    'en/common': { save: 'Save', hello: 'Hello {{name}}', yes: 'Yes' },
    'de/common': { yes: 'Ja' },
  })
  const agent = new Agent(stage.scene.server, stage.scene.acme.key)
  const asked = { project: 'web', languages: ['de'] }

  let plan: { error?: string; texts?: number; estimate?: number } = {}
  // The memory is built first.
  await eventually(async () => {
    plan = await agent.call('translate', asked)
    return plan.error === undefined
  })
  t.match(plan, { machine: 'Model', texts: 2, unit: 'USD' })
  t.ok(plan.estimate! > 0)
  t.equal(stage.fake.requests.length, 0, 'a plan sends nothing')
  t.match(await agent.call('translate', { project: 'web' }), { status: 400, error: /languages/ })

  const { job } = await agent.call('translate', { ...asked, start: true })
  await stage.ended(url, job)
  const state = await agent.call('translate', { project: 'web', job })
  t.match(state, { state: 'done', written: 2, undo: { tool: 'undo' } })
  t.strictSame(await stage.read(url, 'de/common'), { save: '» Save', hello: '» Hello {{name}}', yes: 'Ja' })

  const undone = await agent.call(state.undo.tool, state.undo.arguments)
  t.match(undone, { revision: /^[0-9a-f]{40}$/ })
  t.strictSame(await stage.read(url, 'de/common'), { yes: 'Ja' })
  t.match(await agent.call('translate', { project: 'web', job: 'unknown' }), { status: 404 })
})
