/** Subjects of commits: written as text, and read back. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { subjectText } from '../../src/bundle/commit-subject.ts'
import { readSubject } from '../../src/bundle/read-subject.ts'
import { SUBJECTS } from './commit-subjects.ts'

t.test('writes and reads each kind', async t => {
  for (const [kind, examples] of Object.entries(SUBJECTS)) {
    t.ok(examples.length > 0, kind)
    for (const [text, subject] of examples) {
      t.equal(subjectText(subject), text, kind)
      t.strictSame(readSubject(text, 'web'), subject, text)
    }
  }
  const source = readFileSync(join(import.meta.dirname, '../../src/bundle/commit-subject.ts'), 'utf8')
  const members = source.slice(source.indexOf('export type CommitAction'), source.indexOf('export type CommitSubject'))
  const kinds = [...members.matchAll(/\bkind: ([^;}]+)/g)].flatMap(([, some = '']) => some.match(/[a-z-]+/g) ?? [])
  t.strictSame(Object.keys(SUBJECTS).sort(), kinds.sort(), 'each kind has an example')
})

t.test('reads no message of a person', async t => {
  for (const text of [
    'Texts of the new checkout',
    'web: add tests',
    'web: confirm everything',
    'web pl/account',
    'web pl/account: fix typo',
    'website pl/account: add x',
    'create project other',
    'delete project web: why not',
    'change project web',
    'web account: rename a to b to c',
    'web: restore everything',
    '',
  ])
    t.equal(readSubject(text, 'web'), undefined, text)
})

t.test('reads what older dashboards wrote', async t => {
  t.strictSame(readSubject('Import 1 bundle', 'web'), { slug: 'web', kind: 'import', bundles: 1 })
  t.strictSame(readSubject('Replace “Konto” by “” in 1 text', 'web'), {
    ...{ slug: 'web', kind: 'replace', find: 'Konto', by: '', count: 1 },
  })
  t.equal(readSubject('Replace “a” by “b” by “c” in 1 text', 'web'), undefined, 'it is unknown where the first ends')
  t.strictSame(readSubject('web: rename pl to pl-PL', 'web'), { slug: 'web', kind: 'rename', key: 'pl', to: 'pl-PL' })
})

t.test('shortens the sides of a replacement, so that an undo can name it', async t => {
  const long = { slug: 'web', kind: 'replace', find: '\u2028'.repeat(2) + 'a'.repeat(40), by: '😀'.repeat(40) } as const
  const text = subjectText({ ...long, count: 9999 })
  t.equal(text, `web: replace " ${'a'.repeat(18)}…" by "${'😀'.repeat(19)}…" in 9999 texts`)
  const undo = subjectText({ slug: 'web', kind: 'undo', what: text.slice('web: '.length) })
  t.equal(undo, `web: undo ${text.slice('web: '.length)}`)
})
