/** The tool that says what texts of a project need, in a project of many languages. */
import t from 'tap'
import type { ApiCall, ApiRequest } from '../../src/mcp/api-call.ts'
import { GUIDE_TOOL } from '../../src/mcp/guide-tool.ts'

const languages = ['pl', ...Array.from({ length: 599 }, (_, at) => `de-x-${at}`)]
const call = (async ({ path }: ApiRequest) =>
  path.endsWith('glossary') ? { terms: [] } : { sourceLanguage: 'en', languages }) as ApiCall

t.test('computes the plurals of no more languages than an answer can hold', async t => {
  const { data } = await GUIDE_TOOL.run(call, { project: 'web' })
  const plurals = data.plurals as Record<string, object>
  t.equal(Object.keys(plurals).length, 100)
  t.strictSame(plurals.pl, {
    cardinal: { one: [1], few: [2, 3, 4], many: [0, 5, 6], other: [1.5] },
  })
  t.strictSame(data.languages, languages)
})
