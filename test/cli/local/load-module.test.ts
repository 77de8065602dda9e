/** What a project's config may hold beyond what Node runs of itself. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadModule } from '../../../src/cli/local/load-module.ts'
import { newFolder } from '../../new-folder.ts'

type Tree = { [name: string]: string | Tree }

const PACKAGE = '{"name": "app"}'

/** [title, the files: `c.ts` gives `["en", "de"]`, its name if it is another] */
const CONFIGS: [title: string, files: Tree, name?: string][] = [
  ['defineConfig', { 'c.ts': `import { defineConfig } from 'i18next-cli'\nexport default defineConfig(['en', 'de'])` }],
  [
    'types',
    {
      'c.ts': `import type { I18nextToolkitConfig as C } from 'i18next-cli'\nconst c = ['en', 'de'] as C\nexport default c satisfies C`,
    },
  ],
  [
    'a type imported as a value',
    {
      'c.ts': `import { defineConfig, I18nextToolkitConfig } from 'i18next-cli'\nimport { T, two } from './t'\nconst c: I18nextToolkitConfig & T = two\nexport default defineConfig(c)`,
      't.ts': `export interface T { a?: 1 }\nexport const two = ['en', 'de']`,
    },
  ],
  [
    'enums, namespaces, parameter properties',
    {
      'c.ts': `import { L } from './l'\nnamespace N { export const de = 'de' }\nclass C { constructor(public all: string[]) {} }\nexport default new C([L.En, N.de]).all`,
      'l.ts': `export enum L { En = 'en' }`,
    },
  ],
  [
    'aliases of a tsconfig.json with comments, of one that it extends',
    {
      'c.ts': `import { en } from '@/l'\nimport { de } from 'de'\nexport default [en, de]`,
      'tsconfig.json': '{ // ours\n "extends": "./base", }',
      'base.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"], "de": ["./src/de.ts"] } } }',
      src: { l: { 'index.ts': `export const en: string = 'en'` }, 'de.ts': `export const de = 'de'` },
    },
  ],
  [
    '.js for .ts, .mjs for .mts',
    {
      'c.ts': `import { en } from './a.js'\nimport { de } from './b.mjs'\nexport default [en, de]`,
      'a.ts': `export const en: string = 'en'`,
      'b.mts': `export const de: string = 'de'`,
    },
  ],
  [
    'JSON, whole and by its members',
    {
      'c.ts': `import all, { de } from './l.json'\nimport again from './l' with { type: 'json' }\nexport default [all.en, again.de && de]`,
      'l.json': '{"en": "en", "de": "de", "default": 1, "a b": 2}',
    },
  ],
  [
    '__dirname and require beside import',
    {
      'c.ts': `import { join } from 'node:path'\nexport default [require('./l.json').en, require(join(__dirname, 'd')).de]`,
      'l.json': '{"en": "en"}',
      'd.js': `exports.de = 'de'`,
    },
  ],
  [
    'CommonJS in TypeScript',
    {
      'c.ts': `const { defineConfig } = require('i18next-cli')\nmodule.exports = defineConfig(['en', 'de'] as string[])`,
    },
  ],
  [
    'CommonJS',
    { 'c.cjs': `const { defineConfig } = require('i18next-cli')\nmodule.exports = defineConfig(['en', 'de'])` },
    'c.cjs',
  ],
  [
    'JavaScript in a package without a type',
    { 'c.js': `import { defineConfig } from 'i18next-cli'\nexport default defineConfig(['en', 'de'])` },
    'c.js',
  ],
  [
    'TypeScript in a package of CommonJS',
    { 'package.json': '{"type": "commonjs"}', 'c.ts': `export default ['en', 'de']` },
  ],
  [
    'TypeScript in a package of modules',
    { 'package.json': '{"type": "module"}', 'c.ts': `module.exports = ['en', 'de']` },
  ],
  [
    'await at the top, and a promise',
    { 'c.ts': `const en = await Promise.resolve('en')\nexport default Promise.resolve([en, 'de'])` },
  ],
  [
    'a package, of CommonJS',
    {
      'c.ts': `import { en } from 'p'\nexport default [en, 'de']`,
      node_modules: { p: { 'index.js': `exports.en = 'en'` } },
    },
  ],
  [
    'more of i18next-cli than defineConfig',
    {
      'c.ts': `import { defineConfig, tags } from 'i18next-cli'\nexport default defineConfig(tags)`,
      node_modules: {
        'i18next-cli': {
          'package.json': '{"type": "module", "main": "i.js"}',
          'i.js': `export const defineConfig = x => x\nexport const tags = ['en', 'de']`,
        },
      },
    },
  ],
]

for (const [told, files, name = 'c.ts'] of CONFIGS) {
  t.test(told, async t => {
    const { default: value } = await loadModule(join(t.testdir({ 'package.json': PACKAGE, ...files }), name))
    t.same(await value, ['en', 'de'])
  })
}

t.test('reads a changed config again', async t => {
  const config = join(t.testdir({ 'c.ts': 'export default 1' }), 'c.ts')
  t.equal((await loadModule(config)).default, 1)
  writeFileSync(config, 'export default 2')
  t.equal((await loadModule(config)).default, 2)
})

t.test('an error of the config is its own', async t => {
  const load = (t: Test, text: string) => loadModule(join(newFolder(t, { 'c.ts': text }), 'c.ts'))
  await t.rejects(load(t, `import { tags } from 'i18next-cli'\nexport default tags`), {
    message: /Cannot find package 'i18next-cli'/,
  })
  await t.rejects(load(t, `import x from './gone'\nexport default x`), { message: /gone/ })
  await t.rejects(load(t, 'throw new Error("boom")'), { message: 'boom' })
})

t.test('moves its output to standard error, and hides Node’s own warnings', async t => {
  const folder = t.testdir({
    'package.json': PACKAGE,
    'c.js': `import './d.ts'\nconsole.log('noise'); export default 1`,
    'd.ts': 'export enum D { a }',
    'run.mjs': `import { loadModule } from ${JSON.stringify(join(import.meta.dirname, '../../../src/cli/local/load-module.ts'))}
      await loadModule(${JSON.stringify(join(t.testdirName, 'c.js'))})
      console.log('ours')`,
  })
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'run.mjs')], { encoding: 'utf8' })
  t.equal(stdout, 'ours\n')
  t.equal(stderr, 'noise\n')
})
