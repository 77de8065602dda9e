/** A real machine end to end: Apertium, as Debian has it, translates English into Spanish. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { judgeTexts, leavesOf, sourcesOf } from './source-texts.ts'
import { TranslationStage } from './translation-stage.ts'

const MODES = '/usr/share/apertium/modes'
const isThere = existsSync(`${MODES}/eng-spa.mode`) && spawnSync('apertium-apy', ['--version']).error === undefined
const skip = isThere ? false : 'there is no apertium-apy with apertium-eng-spa'

t.test('translates texts of all kinds, writes none that does not fit, and asks once', { skip }, async t => {
  const port = await freePort()
  const apertium = spawn('apertium-apy', ['-p', String(port), MODES], { stdio: 'ignore' })
  t.teardown(() => apertium.kill('SIGKILL'))
  const address = `http://127.0.0.1:${port}`
  t.ok(
    await eventually(
      () =>
        fetch(`${address}/listPairs`)
          .then(({ ok }) => ok)
          .catch(() => false),
      30_000,
    ),
  )

  const stage = await TranslationStage.open(t)
  stage.list({ name: 'Apertium', kind: 'apertium', url: address, languages: ['es'] })
  const source = {
    ...sourcesOf(52),
    greeting: 'Good morning',
    terms: 'Read the <1>terms</1> & pay {{price, currency}}',
  }
  const url = await stage.project('real', { 'en/common': source, 'es/common': { own: 'x' } })
  const body = { languages: ['es'] }
  const plan = await stage.plan(url, body)
  t.ok(plan.json.characters > 0 && plan.json.estimate === null, plan.text)
  const { of, written, refused, refusedCount, ...job } = await stage.run(url, body)
  t.match(job, { state: 'done', done: of, unit: 'characters' }, job.error)
  t.equal(written + refusedCount, of)
  t.comment(`${written} of ${of} written, ${JSON.stringify(refused.slice(0, 5))}`)
  t.ok(written > of * 0.8, `${written} of ${of} are written`)

  const { own, ...stored } = await stage.read(url, 'es/common')
  t.equal(own, 'x')
  t.equal(stored.greeting, 'Buenos días')
  t.match(stored.terms, /<1>.+<\/1> & .*\{\{price, currency\}\}$/)
  await judgeTexts(t, source, { es: stored })
  const english = new Map(leavesOf(source))
  const same = leavesOf(stored).filter(([name, text]) => english.get(name) === text)
  t.ok(same.length < leavesOf(stored).length / 10, `${same.length} texts are as in English`)

  const { characters } = (await stage.plan(url, body)).json
  const second = await stage.run(url, body)
  t.match({ characters, ...second }, { characters: 0, state: 'done', of: 0, spent: 0 })
})
