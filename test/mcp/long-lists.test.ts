/** Lists that are too long for one answer: of projects, languages, terms and planned changes. */
import t from 'tap'
import type { ApiCall, ApiRequest } from '../../src/mcp/api-call.ts'
import { GUIDE_TOOL } from '../../src/mcp/guide-tool.ts'
import { TOOLS } from '../../src/mcp/tools.ts'

const languages = ['pl', ...Array.from({ length: 599 }, (_, at) => `de-x-${at}`)]
const projects = Array.from({ length: 700 }, (_, at) => ({ slug: `project-${at}`, name: `Project ${at}` }))
const terms = Array.from({ length: 500 }, (_, at) => ({ term: `term ${at}`, note: 'x'.repeat(100) }))
const rows = languages.map(language => ({ language, keys: 1_000, missing: 12, stale: 0, namespaces: [] }))
const removed = Array.from({ length: 200 }, (_, at) => {
  const row = { language: 'de', namespace: 'common', key: `key${at}`, result: 'removed' }
  return { ...row, before: 'x'.repeat(300), after: null }
})
const planned = removed.map(({ namespace, key, before }) => {
  return { namespace, key, removed: ['de'], before: { de: before } }
})
const call = (async ({ path }: ApiRequest) => {
  if (path === '/api/projects') return { projects }
  if (path === '/api/glossary') return { terms: [] }
  if (path.endsWith('/glossary')) return { terms }
  if (path.endsWith('/changes')) return { plan: 'x', counts: { removed: 200 }, changes: removed }
  return path.endsWith('/status') ? { revision: 'x', languages: rows } : { sourceLanguage: 'en', languages }
}) as ApiCall

t.test('computes the plurals of no more languages than an answer can hold', async t => {
  const { data } = await GUIDE_TOOL.run(call, { project: 'web' })
  const plurals = data.plurals as Record<string, object>
  t.equal(Object.keys(plurals).length, 100)
  t.strictSame(plurals.pl, {
    cardinal: { one: [1], few: [2, 3, 4], many: [0, 5, 6], other: [1.5] },
  })
  t.strictSame(data.languages, languages)
})

t.test('has pages of projects, languages, terms and planned changes', async t => {
  for (const [name, input, list, all] of [
    ['status', {}, 'projects', projects],
    ['status', { project: 'web' }, 'languages', rows.map(({ language }) => ({ language, keys: 1_000, missing: 12 }))],
    ['guide', { project: 'web' }, 'glossary', terms],
    ['plan', { project: 'web' }, 'keys', planned],
  ] as const) {
    const tool = TOOLS.get(name)!
    const found: unknown[] = []
    let pages = 0
    for (let cursor: unknown; cursor !== null; pages++) {
      const { data } = await tool.run(call, tool.input.parse({ ...input, ...(pages > 0 && { cursor }) }))
      t.ok(
        JSON.stringify(JSON.stringify(data)).length + JSON.stringify(data).length < 32_000,
        `page ${pages} of ${list}`,
      )
      found.push(...(data[list] as unknown[]))
      cursor = data.next
    }
    t.strictSame(found, all)
    t.ok(pages > 2)
    for (const cursor of ['x', '-1', '1.5', '1e9'])
      await t.rejects(tool.run(call, { ...input, cursor }), { message: /cursor/ }, cursor)
  }
})
