import t from 'tap'
import {
  checkRights,
  type LanguageRights,
  levelOn,
  mayTranslate,
  parseRights,
  renderRights,
  rightsOf,
  withoutProject,
} from '../../src/auth/rights.ts'

const german: LanguageRights = [{ languages: ['de'], may: 'translate' }]

t.test('the strongest right that covers a language counts', async t => {
  const rights: LanguageRights = [
    { languages: ['*'], may: 'suggest' },
    { languages: ['de', 'fr'], may: 'translate' },
    { projects: ['web'], languages: ['de'], may: 'review' },
    { projects: ['web'], languages: ['fr'], may: 'read' },
  ]
  const rows: [project: string, language: string, level: string][] = [
    ['web', 'de', 'review'],
    ['web', 'fr', 'translate'],
    ['web', 'it', 'suggest'],
    ['shop', 'de', 'translate'],
    ['shop', 'de-AT', 'suggest'],
    ['web', 'DE', 'review'],
  ]
  for (const [project, language, level] of rows)
    t.equal(levelOn(rights, { project, language }), level, `${project} ${language}`)
  t.equal(levelOn(rights, { project: 'web' }), 'suggest', 'all languages of a project')
  t.equal(levelOn(german, { project: 'web', language: 'fr' }), 'read', 'what no right covers is only read')
  t.equal(levelOn(undefined, {}), 'review', 'nothing narrows a caller without rights')
})

t.test('only translate and review allow to write', async t => {
  for (const [may, expected] of [
    ['read', false],
    ['suggest', false],
    ['translate', true],
    ['review', true],
  ] as const)
    t.equal(mayTranslate([{ languages: ['*'], may }], { project: 'web', language: 'de' }), expected, may)
})

t.test('all languages, and the organization, need a right to them', async t => {
  t.notOk(mayTranslate(german, { project: 'web' }), 'one language is not all')
  t.ok(mayTranslate([{ languages: ['*'], may: 'translate' }], {}))
  const ofProject: LanguageRights = [{ projects: ['web'], languages: ['*'], may: 'translate' }]
  t.ok(mayTranslate(ofProject, { project: 'web' }))
  t.notOk(mayTranslate(ofProject, { project: 'shop' }))
  t.notOk(mayTranslate(ofProject, {}), 'a project is not the organization')
})

t.test('rights narrow the role member alone', async t => {
  const stored = renderRights(german)
  t.same(rightsOf('member', stored), german)
  t.equal(rightsOf('member', null), undefined)
  for (const role of ['owner', 'admin'] as const) t.equal(rightsOf(role, stored), undefined, role)
})

t.test('rights have a canonical form', async t => {
  const given = [{ may: 'review', languages: ['fr', 'de', 'fr'], projects: ['web', 'shop'] }]
  const checked = checkRights(given)
  t.equal(renderRights(checked), '[{"projects":["shop","web"],"languages":["de","fr"],"may":"review"}]')
  t.same(parseRights(renderRights(checked)), checked)
})

t.test('names what does not fit', async t => {
  const one = { languages: ['de'], may: 'translate' }
  const rows: [given: unknown, message: RegExp][] = [
    [undefined, /"rights" must be a list of 1 to 50/],
    [[], /"rights" must be a list of 1 to 50/],
    [Array(51).fill(one), /1 to 50/],
    [['de'], /list of objects/],
    [[{ ...one, may: 'write' }], /"may" to be one of read, suggest, translate, review/],
    [[{ may: 'read' }], /"languages" to be a list of 1 to 200/],
    [[{ ...one, languages: [] }], /"languages" to be a list/],
    [[{ ...one, languages: ['*', 'de'] }], /"\*" to stand alone/],
    [[{ ...one, languages: ['d/e'] }], /"d\/e"/],
    [[{ ...one, languages: [1] }], /number/],
    [[{ ...one, projects: [] }], /"projects" to be a list of 1 to 100/],
    [[{ ...one, projects: ['..'] }], /slug "\.\."/],
    [[{ ...one, role: 'x' }], /unknown member "role"/],
    [
      Array(50).fill({ languages: Array.from({ length: 100 }, (_, n) => `de-${1000 + n}`), may: 'read' }),
      /8,192 characters/,
    ],
  ]
  for (const [given, message] of rows) t.throws(() => checkRights(given), { code: 'invalid', message })
})

t.test('a project without its name leaves other rights, or rights to read', async t => {
  const both: LanguageRights = [{ projects: ['shop', 'web'], languages: ['de'], may: 'translate' }, ...german]
  t.equal(withoutProject(german, 'web'), undefined, 'it was not named')
  t.same(withoutProject(both, 'web'), [{ projects: ['shop'], languages: ['de'], may: 'translate' }, ...german])
  const alone: LanguageRights = [{ projects: ['web'], languages: ['*'], may: 'review' }]
  t.same(withoutProject(alone, 'web'), [{ languages: ['*'], may: 'read' }])
})
