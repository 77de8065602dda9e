/** Rows and columns of the matrix. */
import t from 'tap'
import { axesOf } from '../../../src/dashboard/project/matrix-axes.ts'

const counts = (keys: number, missing: number) => ({
  ...{ keys, missing, translated: keys - missing },
  ...{ empty: 0, incomplete: 0, stale: 0, problems: 0, extra: 0, approved: 0, machine: 0, suggested: 0 },
})

/** @param missing by language and namespace */
const status = (missing: Record<string, Record<string, number>>) => ({
  revision: '',
  sourceLanguage: 'en',
  languages: Object.entries(missing).map(([language, namespaces]) => ({
    language,
    ...counts(
      100,
      Object.values(namespaces).reduce((sum, count) => sum + count, 0),
    ),
    namespaces: Object.entries(namespaces).map(([namespace, count]) => ({ namespace, ...counts(10, count) })),
  })),
})

t.test('languages are the rows, the source first, and the sums are the first column', async t => {
  const { rows, columns, countsAt } = axesOf(status({ de: { b: 1, a: 2 }, en: { a: 0, b: 0 } }), false)
  t.strictSame(rows, [{ language: 'en' }, { language: 'de' }])
  t.strictSame(columns, [{}, { namespace: 'a' }, { namespace: 'b' }])
  t.equal(countsAt({ language: 'de' })?.missing, 3)
  t.equal(countsAt({ language: 'de', namespace: 'b' })?.missing, 1)
  t.equal(countsAt({ language: 'de', namespace: 'c' }), undefined)
})

t.test('more than eight namespaces are the rows', async t => {
  const many = (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [`n${at}`, 0]))
  t.strictSame(axesOf(status({ en: many(8) }), false).rows, [{ language: 'en' }])
  const { rows, columns } = axesOf(status({ en: many(9) }), false)
  t.strictSame(columns, [{ language: 'en' }])
  t.strictSame(rows.slice(0, 2), [{}, { namespace: 'n0' }])
})

t.test('sorts both by work; the source language and the sums stay first', async t => {
  const missing = { ar: { a: 1, b: 4 }, de: { a: 0, b: 0 }, en: { a: 9, b: 0 }, pl: { a: 3, b: 8 } }
  const { rows, columns } = axesOf(status(missing), true)
  t.strictSame(
    rows.map(({ language }) => language),
    ['en', 'pl', 'ar', 'de'],
  )
  t.strictSame(columns, [{}, { namespace: 'b' }, { namespace: 'a' }])
})
