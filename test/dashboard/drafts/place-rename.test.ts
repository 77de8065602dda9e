/** The rename of a language or a namespace, read in the subject of its commit. */
import t from 'tap'
import { subjectText } from '../../../src/bundle/commit-subject.ts'
import { placeRenameIn } from '../../../src/dashboard/drafts/move-drafts.ts'

const slug = 'web'
const language = subjectText({ slug, language: 'pl', kind: 'rename-language', to: 'pl-PL' })
const namespace = subjectText({ slug, namespace: 'account', kind: 'rename-namespace', to: 'user' })

t.test('reads both kinds', async t => {
  t.strictSame(placeRenameIn(language, slug), { part: 'language', from: 'pl', to: 'pl-PL' })
  t.strictSame(placeRenameIn(namespace, slug), { part: 'namespace', from: 'account', to: 'user' })
})

t.test('an undo renames back, and its redo renames again', async t => {
  const back = { part: 'language', from: 'pl-PL', to: 'pl' }
  t.strictSame(placeRenameIn('web pl: undo rename the language to pl-PL', slug), back)
  t.strictSame(placeRenameIn('web pl: redo rename the language to pl-PL', slug), { ...back, from: 'pl', to: 'pl-PL' })
  t.strictSame(placeRenameIn('web account: undo rename the namespace to user', slug), {
    ...{ part: 'namespace', from: 'user', to: 'account' },
  })
})

t.test('no other commit renames a place', async t => {
  for (const text of ['web pl/account: rename a to b', 'web: undo my words', 'web pl: delete the language', 'Words'])
    t.equal(placeRenameIn(text, slug), undefined, text)
})
