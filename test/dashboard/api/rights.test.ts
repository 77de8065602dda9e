import t from 'tap'
import { isAtLeast, levelOn, permitIn } from '../../../src/dashboard/api/rights.ts'

const ONE = [{ languages: ['de'], may: 'translate' as const }]
const review = { de: { fourEyes: false }, pl: { fourEyes: true } }

t.test('finds the strongest right that covers a language of a project', t => {
  t.equal(levelOn({}, 'web', 'de'), 'review', 'without rights nothing is narrowed')
  t.equal(levelOn({ rights: ONE }, 'web', 'de'), 'translate')
  t.equal(levelOn({ rights: ONE }, 'web', 'pl'), 'read')
  const all = { rights: [...ONE, { projects: ['web'], languages: ['*'], may: 'suggest' as const }] }
  t.strictSame(
    [levelOn(all, 'web', 'de'), levelOn(all, 'web', 'pl'), levelOn(all, 'shop', 'pl')],
    ['translate', 'suggest', 'read'],
  )
  t.ok(isAtLeast({ level: 'review' }, 'translate'))
  t.notOk(isAtLeast({ level: 'suggest' }, 'translate'))
  t.end()
})

t.test('suggests where a review is on, unless the reader reviews alone', t => {
  const modeOf = (may: 'read' | 'suggest' | 'translate' | 'review', language: string) =>
    permitIn({ rights: [{ languages: ['*'], may }] }, { slug: 'web', review }, language).mode
  const modes = (language: string) =>
    (['read', 'suggest', 'translate', 'review'] as const).map(may => modeOf(may, language))
  t.strictSame(modes('fr'), ['read', 'suggest', 'save', 'save'])
  t.strictSame(modes('de'), ['read', 'suggest', 'suggest', 'save'])
  t.strictSame(modes('pl'), ['read', 'suggest', 'suggest', 'suggest'])
  t.equal(permitIn({}, { slug: 'web', review }, 'pl').fourEyes, true)
  t.strictSame(
    ['de', 'fr'].map(language => permitIn({}, { slug: 'web', review }, language).isReviewed),
    [true, false],
  )
  t.end()
})

t.test('approves with the right to review, and never in the source language', t => {
  const project = { slug: 'web', sourceLanguage: 'en' }
  t.strictSame(
    ['de', 'en'].map(language => permitIn({}, project, language).mayApprove),
    [true, false],
  )
  t.equal(permitIn({ rights: ONE }, project, 'de').mayApprove, false, 'a translator approves nothing')
  t.end()
})
