/** One member's change of many or large bundles: others go on being answered meanwhile. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import t from 'tap'
import { dataFolder, startServer } from '../contract/server.ts'
import { startBuilt } from './built-server.ts'

t.setTimeout(600_000)

/** About so many megabytes of nested keys. */
function bundle(language: string, megabytes: number): Record<string, Record<string, string>> {
  const sections: Record<string, Record<string, string>> = {}
  for (let at = 0; at < megabytes * 16_000; at++) {
    const section = (sections[`section${at % 100}`] ??= {})
    section[`key${at}`] = `Text ${at} in ${language}, of some length`
  }
  return sections
}

t.test(
  'others wait for a small part of a rename, a change of format, a removal and the reading of a language',
  async t => {
    const server = await startServer(t)
    const acme = await server.organization()
    const web = await server.project(acme.key, 'web')
    const large = `${web}/bundles/de/large`
    for (const language of ['de', 'fr', 'pl'])
      await server.must('PUT', `${web}/bundles/${language}/large`, { key: acme.key, body: bundle(language, 4) })
    const rename = { namespace: 'large', from: 'section7.key7', to: 'section7.renamed' }
    for (const [what, run] of [
      ['a rename', () => server.post(`${web}/rename-key`, acme.key, rename)],
      ['a key that goes', () => server.call('DELETE', `${large}/section8.key8`, { key: acme.key })],
      ['a format', () => server.call('PATCH', web, { key: acme.key, body: { defaultFormat: 'i18next-json-flat' } })],
      ['a bundle that goes', () => server.call('DELETE', large, { key: acme.key })],
    ] as const) {
      const delay = monitorEventLoopDelay({ resolution: 1 })
      const began = performance.now()
      delay.enable()
      const reply = await run()
      delay.disable()
      const whole = performance.now() - began
      const longest = delay.max / 1e6
      t.ok(reply.status < 300, `${what}: ${reply.status} ${reply.text.slice(0, 100)}`)
      const told = `${what}: others wait ${longest.toFixed(0)} ms of ${whole.toFixed(0)} ms`
      t.comment(told)
      t.ok(longest < whole / 3, told)
    }
  },
)

t.test(
  'a heap that holds no two of the bundles as objects is enough for a rename and a change of format over eight',
  async t => {
    const server = await startBuilt(t, dataFolder(t), {}, ['--max-old-space-size=160'])
    const acme = await server.organization()
    const web = await server.project(acme.key, 'web')
    for (const language of ['cs', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'sv'])
      await server.must('PUT', `${web}/bundles/${language}/large`, { key: acme.key, body: bundle(language, 4) })
    const rename = { namespace: 'large', from: 'section7.key7', to: 'section7.renamed' }
    t.match((await server.post(`${web}/rename-key`, acme.key, rename)).json, { languages: { length: 8 } })
    const body = { defaultFormat: 'i18next-json-flat' }
    t.match(await server.call('PATCH', web, { key: acme.key, body }), { status: 200 })
    t.equal(
      (await server.get(`${web}/bundles/de/large`, acme.key)).json['section7.renamed'],
      'Text 7 in de, of some length',
    )
    t.match((await server.get('/api/health')).json, { status: 'ok' })
  },
)
