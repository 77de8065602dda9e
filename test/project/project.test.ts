import t from 'tap'
import {
  bundlePath,
  localesPath,
  ownFile,
  parseProject,
  projectPath,
  renderProject,
} from '../../src/project/project.ts'
import { failure } from '../bundle/pushing.ts'

const project = { slug: 'web', name: 'Web "shop"', sourceLanguage: 'en', defaultFormat: 'i18next-json' as const }

t.test('a project file comes back', async t => {
  t.equal(
    renderProject(project).toString(),
    '{\n  "defaultFormat": "i18next-json",\n  "name": "Web \\"shop\\"",\n  "sourceLanguage": "en"\n}\n',
  )
  t.strictSame(parseProject('web', renderProject(project)), project)
})

t.test('an interpolation comes back, but i18next’s own, which is not stored', async t => {
  const own = { ...project, interpolation: { prefix: '__', suffix: '__' } }
  t.equal(
    renderProject(own).toString(),
    '{\n  "defaultFormat": "i18next-json",\n  "interpolation": {\n    "prefix": "__",\n    "suffix": "__"\n  },\n' +
      '  "name": "Web \\"shop\\"",\n  "sourceLanguage": "en"\n}\n',
  )
  t.strictSame(parseProject('web', renderProject(own)), own)
  const file = (interpolation: unknown) => Buffer.from(JSON.stringify({ ...project, interpolation }))
  t.strictSame(parseProject('web', file({ prefix: '{{', suffix: '}}' })), project)
  t.strictSame(parseProject('web', file({ ...own.interpolation, escapeValue: false })), own)
  const bad: [interpolation: unknown, field: string][] = [
    ...[null, '__', 5, []].map((one): [unknown, string] => [one, 'interpolation']),
    ...[
      {},
      { suffix: '}' },
      { prefix: '', suffix: '}' },
      { prefix: null, suffix: '}' },
      { prefix: ' ', suffix: '}' },
    ].map((one): [unknown, string] => [one, 'interpolation.prefix']),
    ...['', 5, 'x'.repeat(21), 'a\nb', '\u0007', '\u202e', '\ud800', undefined].map((suffix): [unknown, string] => [
      { prefix: '{', suffix },
      'interpolation.suffix',
    ]),
  ]
  for (const [interpolation, field] of bad) {
    t.match(
      failure('unfit', () => parseProject('web', file(interpolation))),
      `web/project.json is no project: "${field}"`,
      JSON.stringify(interpolation),
    )
  }
})

t.test('a broken one names the file and the fault', async t => {
  for (const text of [
    '',
    '[]',
    'null',
    '{}',
    '{"name":"x","sourceLanguage":"en_US","defaultFormat":"i18next-json"}',
    '\xff',
  ]) {
    t.match(
      failure('unfit', () => parseProject('web', Buffer.from(text, 'latin1'))),
      'web/project.json',
      text,
    )
  }
  t.equal(
    failure('unfit', () => parseProject('web', Buffer.from('{"name":"Web"}'))),
    'web/project.json is no project: It lacks "sourceLanguage", "defaultFormat".',
  )
})

t.test('paths', async t => {
  t.equal(projectPath('web'), 'web/project.json')
  t.equal(localesPath('web'), 'web/locales')
  t.equal(bundlePath({ slug: 'web', language: 'de', namespace: 'common' }), 'web/locales/de/common.json')
  t.strictSame(ownFile('web/project.json'), { kind: 'project', slug: 'web' })
  t.strictSame(ownFile('web/locales/de/a.b.json'), { kind: 'bundle', slug: 'web', language: 'de', namespace: 'a.b' })
  const nothing = [
    '',
    'web',
    'web/',
    'project.json',
    'web/project.json/x',
    'web/locales/de',
    'web/locales/de_DE/a.json',
    'web/locales/de/a.txt',
    'web/locales/de/.json',
    'web/locales/de/a.json.json',
    'web/locales/de/a/b.json',
    'web/other/de/a.json',
    '.git/locales/de/a.json',
    'web/locales/de/con.json',
    '/web/project.json',
  ]
  for (const path of nothing) t.equal(ownFile(path), undefined, path)
})
