/** No text that a machine wrote has a problem in the status: by each check, for a machine that causes each of them. */
import t from 'tap'
import { CHECK_KINDS, type CheckKind } from '../../src/bundle/checks/check-settings.ts'
import { translating } from '../machine/fake-machine.ts'
import { TranslationStage } from './translation-stage.ts'

/** A source, what the machine does with it, and what the job does with the result. */
interface CheckedText {
  source: string
  spoil: (text: string) => string
  is: 'written' | 'suggested' | 'refused'
}

const CASES: Record<CheckKind, CheckedText[]> = {
  interpolation: [{ source: 'Hello {{name}}', spoil: text => text.replace('{{name}}', ''), is: 'refused' }],
  nesting: [{ source: 'See $t(cart)', spoil: text => text.replace('(cart', '(korb'), is: 'refused' }],
  tag: [{ source: '<1>Go</1> on', spoil: text => text.replace('</1>', ''), is: 'refused' }],
  space: [
    { source: ' in front', spoil: text => text.trim(), is: 'written' },
    { source: 'behind\r\n', spoil: text => `»${text}«`, is: 'written' },
    { source: '\u00a0around\u3000', spoil: text => `\n${text.trim()}\t`, is: 'written' },
    { source: 'none', spoil: text => ` ${text}\n`, is: 'written' },
  ],
  control: [{ source: 'Plain', spoil: text => `${text}\u200b`, is: 'suggested' }],
  length: [{ source: 'Short', spoil: text => text.repeat(3), is: 'refused' }],
  term: [{ source: 'Pay the cart', spoil: () => 'Den Wagen zahlen', is: 'suggested' }],
  avoid: [{ source: 'A basket', spoil: () => 'Ein Körbchen', is: 'suggested' }],
}
const texts = CHECK_KINDS.flatMap(kind => CASES[kind].map((one, at) => ({ key: `${kind}${at}`, ...one })))

t.test('writes no text that the status warns of', async t => {
  const stage = await TranslationStage.open(t)
  stage.list(stage.fake.row('openai', { name: 'Model' }))
  stage.fake.script = translating(source => texts.find(one => one.source === source)!.spoil(source))
  const source = Object.fromEntries(texts.map(({ key, source }) => [key, source]))
  const url = await stage.project('web', { 'en/common': source, 'de/other': { x: 'x' } })
  await stage.call('PUT', `${url}/notes/common/length0`, { max: 6 })
  const terms = [
    { term: 'cart', translations: { de: { use: ['Warenkorb'] } } },
    { term: 'basket', translations: { de: { use: ['Korb'], avoid: ['Körbchen'] } } },
  ]
  t.equal((await stage.call('PUT', `${url}/glossary`, { terms })).status, 200)
  const body = { languages: ['de'] }
  const keysThat = (is: CheckedText['is']) => texts.filter(one => one.is === is).map(({ key }) => key)
  const job = await stage.run(url, body)
  t.match(job, { state: 'done', written: keysThat('written').length, suggested: keysThat('suggested').length })
  const keysOf = (list: { key: string }[]) => list.map(({ key }) => key).sort()
  t.strictSame(keysOf(job.refused), keysThat('refused').sort())
  const written = await stage.read(url, 'de/common')
  t.strictSame(Object.keys(written).sort(), keysThat('written').sort())
  t.equal(written.space2, '\u00a0around\u3000', 'the white space of the source, by its kind')
  const { suggestions } = (await stage.call('GET', `${url}/suggestions?language=de`)).json
  t.strictSame(keysOf(suggestions), keysThat('suggested').sort())
  t.strictSame((await stage.call('GET', `${url}/status/keys?language=de&is=problems`)).json.keys, [])

  stage.fake.requests.length = 0
  t.match((await stage.plan(url, body)).json, {
    texts: 0,
    skipped: [{ code: 'suggested', count: keysThat('suggested').length }, { code: 'refused' }],
  })
  t.match(await stage.run(url, body), { of: 0 })
  t.equal(stage.fake.requests.length, 0, 'a second run sends nothing')

  const off = Object.fromEntries(CHECK_KINDS.map(kind => [kind, 'off']))
  t.equal((await stage.call('PATCH', url, { checks: off })).status, 200)
  const { of, suggested, refusedCount } = await stage.run(url, { ...body, is: ['missing'], again: true })
  t.strictSame(
    { of, suggested, refusedCount },
    { of: 4, suggested: 0, refusedCount: 4 },
    'what no project switches off',
  )
})

t.test('loses no paid text with a warning', async t => {
  const stage = await TranslationStage.open(t)
  stage.list(stage.fake.row('openai', { name: 'Model', batch: 1 }))
  const asked = new Map<string, number>()
  stage.fake.script = (request, response) => {
    const [source] = stage.sent().slice(-1) as [string]
    asked.set(source, (asked.get(source) ?? 0) + 1)
    if (asked.get(source) === 1) return translating(text => `${text}\u200b`)(request, response)
    if (source.startsWith('Failing')) return void response.writeHead(400).end()
    return translating(() => 'ohne')(request, response)
  }
  const source = { worse: 'Worse {{x}}', failing: 'Failing {{x}}' }
  const url = await stage.project('paid', { 'en/common': source, 'de/other': { x: 'x' } })
  t.match(await stage.run(url, { languages: ['de'] }), { state: 'failed', written: 0, suggested: 2, refusedCount: 0 })
  const { suggestions } = (await stage.call('GET', `${url}/suggestions?language=de`)).json
  t.strictSame(suggestions.map(({ message }: { message: string }) => message).sort(), [
    'Failing {{x}}\u200b',
    'Worse {{x}}\u200b',
  ])
})
