/** Values in the sentences of the dashboard. */
import i18next from 'i18next'
import t from 'tap'
import { INTERPOLATION, SENTENCE_VALUES } from '../../../src/dashboard/i18n/sentence-values.ts'

const texts = i18next.createInstance()
await texts.use(SENTENCE_VALUES).init({ resources: {}, interpolation: INTERPOLATION })

const say = (language: string, sentence: string, values: object) =>
  texts.getFixedT(language)('none', { ...values, defaultValue: sentence })

t.test('writes numbers as their language does', async t => {
  t.equal(say('en', '{{count}} texts', { count: 3700 }), '3,700 texts')
  t.equal(say('de', '{{count}} Texte', { count: 3700 }), '3.700 Texte')
})

t.test('isolates names in sentences from right to left, and nowhere else', async t => {
  const values = { name: 'b@example.com', tag: 'de' }
  t.equal(say('en', '{{name}}, {{tag}}', values), 'b@example.com, de')
  const apart = '\u2068b@example.com\u2069، \u2068de\u2069'
  t.equal(say('ar', '{{name}}، {{tag}}', values), apart)
  t.equal(say('ar', 'تغيّرت: {{apart}}', { apart }), `تغيّرت: ${apart}`, 'a phrase that is isolated already')
  for (const name of ['', undefined]) t.equal(say('ar', '{{name}}', { name }), '', 'no name')
})
