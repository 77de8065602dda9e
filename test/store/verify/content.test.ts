/** The files of sidecars in a check of HEAD. */
import t from 'tap'
import { verifyContent } from '../../../src/store/verify/content.ts'
import type { VerifyContext } from '../../../src/store/verify/finding.ts'
import { snapshotOf } from '../memory-head.ts'

const WEB = `${JSON.stringify({ defaultFormat: 'i18next-json', name: 'Web', sourceLanguage: 'en' }, null, 2)}\n`

async function found(files: Record<string, string>): Promise<string[]> {
  const lines: string[] = []
  const add = (path: string, what: string) => lines.push(`${path}: ${what}`)
  const report = { note: add, error: add } as unknown as VerifyContext['report']
  const context = { signal: new AbortController().signal, progress: () => {}, report }
  await verifyContent(context, snapshotOf({ 'web/project.json': WEB, ...files }), false)
  return lines
}

t.test('reports files of notes and stale entries that the server would not write', async t => {
  const good = '{\n  "a": {\n    "note": "x"\n  }\n}\n'
  t.strictSame(await found({ 'web/notes/common.json': good }), [])
  t.match(await found({ 'web/notes/common.json': '{"a":{"note":"x"}}' }), [/notes\/common.json: .*canonical/])
  t.match(await found({ 'web/notes/common.json': '{}\n' }), [/canonical/])
  t.match(await found({ 'web/notes/common.json': '{"a":{"max":0}}' }), [/breaks the rules: .*"max"/])
  t.match(await found({ 'web/notes/common.json': good, 'web/notes/Common.json': good }), [/differ only in case/])
  t.match(await found({ 'web/stale/common.json': '{"a":1}' }), [/stale\/common.json: .*canonical/])
})

t.test('reports files of marks that the server would not write', async t => {
  const mark = { at: '2026-01-31T12:00:00Z', by: { id: 'u1', name: 'Ann' }, of: '0123456789abcdef' }
  const entry = { a: { dismissed: { space: mark } } }
  const good = `${JSON.stringify(entry, null, 2)}\n`
  const file = 'web/marks/de/common.json'
  t.strictSame(await found({ [file]: good }), [])
  t.match(await found({ [file]: JSON.stringify(entry) }), [/marks\/de\/common.json: .*canonical/])
  t.match(await found({ [file]: '{"a":{"dismissed":1}}' }), [/breaks the rules: .*"dismissed"/])
  t.match(await found({ [file]: good, 'web/marks/de/Common.json': good }), [/namespaces .* differ only in case/])
  t.match(await found({ [file]: good, 'web/marks/DE/common.json': good }), [/languages .* differ only in case/])
})

t.test('reports files of comments that the server would not write', async t => {
  const comment = { id: 'a', by: { id: 'u', name: 'Ann' }, at: '2026-11-22T09:30:00.000Z', text: 'x' }
  const path = 'web/comments/common.json'
  const file = (...comments: object[]) => `${JSON.stringify({ a: comments }, null, 2)}\n`
  t.strictSame(await found({ [path]: file(comment) }), [])
  t.match(await found({ [path]: JSON.stringify({ a: [comment] }) }), [/comments\/common.json: .*canonical/])
  t.match(await found({ [path]: file({ ...comment, text: '' }) }), [/breaks the rules: .*"text"/])
})

t.test('reports files of suggestions that the server would not write', async t => {
  const suggestion = { id: 's', message: 'x', by: 'deepl', at: '2026-11-22T09:30:00.000Z', of: '0123456789abcdef' }
  const path = 'web/suggestions/de/common.json'
  const file = (...suggestions: object[]) => `${JSON.stringify({ a: suggestions }, null, 2)}\n`
  t.strictSame(await found({ [path]: file(suggestion) }), [])
  t.match(await found({ [path]: JSON.stringify({ a: [suggestion] }) }), [/suggestions\/de\/common.json: .*canonical/])
  t.match(await found({ [path]: file({ ...suggestion, of: 'x' }) }), [/breaks the rules: .*"of"/])
  t.match(await found({ [path]: file(suggestion, suggestion) }), [/breaks the rules: .*same "id"/])
  const good = file(suggestion)
  t.match(await found({ [path]: good, 'web/suggestions/DE/common.json': good }), [/languages .* differ only in case/])
})

t.test('reports a glossary that the server would not write', async t => {
  const good = '{\n  "terms": [\n    {\n      "term": "cart"\n    }\n  ]\n}\n'
  for (const file of ['glossary.json', 'web/glossary.json']) {
    t.strictSame(await found({ [file]: good }), [])
    t.match(await found({ [file]: '{"terms":[{"term":"cart"}]}' }), [/glossary.json: .*canonical/])
    t.match(await found({ [file]: '{"terms":[{"term":7}]}' }), [/glossary.json: .*breaks the rules: .*"term"/])
  }
})
