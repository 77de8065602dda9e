/** Bytes: an agent adds texts to a large project, and no answer is large. */
import t from 'tap'
import { openScene } from '../http/server.ts'
import { Agent } from './agent.ts'

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'sv', 'ja']
const KEYS = 10_000

t.test('moves few bytes for five keys among 10,000 in ten languages', async t => {
  const { server, acme } = await openScene(t)
  const path = await server.project(acme.key, 'web')
  const body = Object.fromEntries(
    Array.from({ length: KEYS }, (_, at) => [`page${at % 100}.text${at}`, `Text number ${at}`]),
  )
  const bundles = Object.fromEntries(LANGUAGES.map(language => [language, { common: body }]))
  await server.must('POST', `${path}/push?overwrite=true`, { key: acme.key, body: { bundles } })
  const agent = new Agent(server, acme.key)
  await agent.call('guide', { project: 'web' })
  await agent.call('find_texts', { project: 'web', text: 'pay now' })
  const texts = Array.from({ length: 5 }, (_, at) =>
    LANGUAGES.map(language => ({
      language,
      namespace: 'common',
      key: `cart.text${at}`,
      value: `Pay ${language} ${at}`,
    })),
  ).flat()
  const { plan } = await agent.call('plan', { project: 'web', set: texts })
  const { counts } = await agent.call('apply', { project: 'web', set: texts, plan })
  t.strictSame(counts, { added: 50 })
  t.ok(agent.bytes < 20_000, `${agent.bytes} bytes in all`)
  const bytes = agent.bytes
  const { languages } = await agent.call('get_key', { project: 'web', namespace: 'common', key: 'cart.text0' })
  t.equal(Object.keys(languages).length, 10)
  t.ok(agent.bytes - bytes < 9_000, `${agent.bytes - bytes} bytes of one key in ten languages`)

  const removed = Array.from({ length: 100 }, (_, at) => ({ namespace: 'common', key: `page${at}.text${at}` }))
  const { keys, more } = await agent.call('plan', { project: 'web', delete: removed })
  t.equal(keys.length + (more ?? 0), 100, `${keys.length} rows`)
  let cursor: string | undefined
  let found = 0
  for (let pages = 0; pages < 4; pages++) {
    const page = await agent.call('find_texts', {
      project: 'web',
      text: 'number 99',
      language: 'de',
      ...(cursor && { cursor }),
    })
    found += page.keys.length
    cursor = page.next
    if (!cursor) break
  }
  t.equal(found, 111, '99, 990 to 999 and 9900 to 9999')
  await agent.call('status', { project: 'web', language: 'de', is: ['translated'] })
  const long = 'x'.repeat(60_000)
  const set = ['en', 'de'].map(language => ({ language, namespace: 'home', key: 'long', value: long }))
  await agent.call('apply', { project: 'web', set })
  t.match(await agent.call('get_key', { project: 'web', namespace: 'home', key: 'long' }), { key: 'long', cut: true })
  await agent.call('find_texts', { project: 'web', text: 'xxx', namespace: 'home' })
  t.ok(agent.largest < 32 * 1024, `${agent.largest} bytes at most`)
})
