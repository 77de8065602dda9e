/** Apps that are compiled against the types of a project, by several versions of TypeScript and i18next. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { type Organization, type Server, startServer } from './server.ts'

/** Packages of i18next. */
export const I18NEXT = { '25': 'i18next25', '26': 'i18next26', '27': 'i18next' }
/** Packages of TypeScript. */
export const TYPESCRIPT = { '5.9': 'typescript59', '7': 'typescript' }

const require = createRequire(import.meta.url)
const folderOf = (name: string) => dirname(require.resolve(`${name}/package.json`))

interface App {
  format: 'i18next-json' | 'i18next-json-flat'
  interpolation?: { prefix: string; suffix: string }
  bundles: Record<string, object>
  /** The path of the types below the project. */
  path: string
  /** The files beside the types. */
  files: Record<string, string>
}

const common = {
  title: 'Hello',
  nav: { home: 'Home', deep: { er: 'Deeper' } },
  item_one: '{{count}} item',
  item_other: '{{count}} items',
  friend: 'A friend',
  friend_male: 'A boyfriend',
  place_ordinal_one: '{{count}}st',
  place_ordinal_other: '{{count}}th',
  box_one: 'a box',
  box_other: 'boxes',
  box_male_one: 'his {{count}} box',
  box_male_other: 'his {{count}} boxes',
  list: ['a', 'b'],
  rows: [{ a: 'x' }, { a: 'y' }],
  'Loading...': 'Please wait',
  v: { '1.0': 'one oh' },
  'a-b c': 'odd',
  greet: 'Hi {{name}}, {{user.age}}',
  spaced: 'Hi {{ name }}, {{ user.age , short }}, {{- title }}',
  waiting: '',
  'evil"*/ } } `${x}`': '*/ "; export const x: string = 1 // \u2028 \u202e',
  quote: 'it\'s "x" \\ \n end',
}
const home = { welcome: 'Welcome {{name}}', nav: { home: 'Other' } }
const path = '/types.d.ts?defaultNS=common'

/** Apps with lines that must compile and lines that must not. */
const APPS: Record<string, App> = {
  underscored: {
    format: 'i18next-json',
    interpolation: { prefix: '__', suffix: '__' },
    bundles: {
      common: { greet: 'Hi __name__', spaced: 'Hi __ name __ on __day, weekday__', curly: 'All of {{this}}' },
    },
    path: '/types.d.ts',
    files: {
      'app.ts': `
import { t } from 'i18next'
t('greet', { name: 'Ann' })
t('spaced', { name: 'Ann', day: '1' })
t('curly')
// @ts-expect-error a variable is missing
t('greet', { nam: 'Ann' })
// @ts-expect-error a key that is missing
t('greeting')
`,
    },
  },
  nested: {
    format: 'i18next-json',
    bundles: { common, home },
    path,
    files: {
      'app.ts': `
import i18next, { t } from 'i18next'
export const title: string = t('title')
t('nav.home')
t('nav.deep.er')
t('item', { count: 2 })
t('item_one', { count: 2 })
t('place', { count: 2, ordinal: true })
t('friend')
t('friend', { context: 'male' })
t('box', { context: 'male', count: 2 })
export const list: readonly string[] = t('list', { returnObjects: true })
export const item: string = t('list.0')
export const row: string = t('rows.1.a')
export const nav: { home: string } = t('nav', { returnObjects: true })
t('Loading...')
t('v.1.0')
t('a-b c')
t('greet', { name: 'Ann', user: { age: '3' } })
t('spaced', { name: 'Ann', user: { age: '3' }, title: 'Dr' })
t('home:welcome', { name: 'Ann' })
t('welcome', { ns: 'home', name: 'Ann' })
t('waiting').toUpperCase()
t('evil"*/ } } \`\${x}\`')
t('quote')
i18next.getFixedT('en', 'home')('nav.home')
i18next.getFixedT(null, null, 'nav')('home')
// @ts-expect-error no such key
t('nav.hoem')
// @ts-expect-error no such key
t('tittle')
// @ts-expect-error an object, not a text
export const text: string = t('nav')
// @ts-expect-error no such namespace
t('nothere:welcome')
// @ts-expect-error not in the default namespace
t('welcome', { name: 'Ann' })
// @ts-expect-error no such context
t('friend', { context: 'other' })
// @ts-expect-error another interpolation
t('greet', { nam: 'Ann', user: { age: '3' } })
// @ts-expect-error another interpolation, with spaces
t('spaced', { nam: 'Ann', user: { age: '3' }, title: 'Dr' })
// @ts-expect-error an item that there is not
t('list.7')
`,
    },
  },
  flat: {
    format: 'i18next-json-flat',
    bundles: {
      common: {
        'nav.home': 'Home',
        'item.x_one': '{{count}} x',
        'item.x_other': '{{count}} xs',
        'greet.name': 'Hi {{name}}',
      },
      home,
    },
    path,
    files: {
      'app.ts': `
import { t } from 'i18next'
export const title: string = t('nav.home')
t('item.x', { count: 2 })
t('greet.name', { name: 'Ann' })
t('home:welcome', { name: 'Ann' })
// @ts-expect-error no such key
t('nav.hom')
// @ts-expect-error no key
t('nav')
`,
    },
  },
  selector: {
    format: 'i18next-json',
    bundles: { common, home },
    path,
    files: {
      'own.d.ts': `import 'i18next'\ndeclare module 'i18next' { interface CustomTypeOptions { enableSelector: true } }\n`,
      'app.ts': `
import { t } from 'i18next'
export const title: string = t($ => $.title)
t($ => $.nav.deep.er)
t($ => $.item, { count: 2 })
t($ => $.place, { count: 2, ordinal: true })
t($ => $.friend, { context: 'male' })
t($ => $.box, { context: 'male', count: 2 })
t($ => $['a-b c'])
t($ => $.greet, { name: 'Ann', user: { age: '3' } })
t($ => $.list, { returnObjects: true })
t($ => $.welcome, { ns: 'home', name: 'Ann' })
// @ts-expect-error no such key
t($ => $.nav.hoem)
// @ts-expect-error no such key
t($ => $.tittle)
`,
    },
  },
  // None of them is i18next's own default.
  several: {
    format: 'i18next-json',
    bundles: { shop: { title: 'Hello' }, about: { welcome: 'Welcome {{name}}' } },
    path: '/types.d.ts',
    files: {
      'app.ts': `
import { t } from 'i18next'
t('welcome', { name: 'Ann' })
t('shop:title')
t('title', { ns: 'shop' })
// @ts-expect-error no such key in the first namespace by name
t('title')
// @ts-expect-error no such key
t('shop:tittle')
// @ts-expect-error no such key
t('tittle', { ns: 'shop' })
`,
    },
  },
  // i18next's own declarations must hold beside a project without texts, too.
  none: {
    format: 'i18next-json',
    bundles: {},
    path: '/types.d.ts',
    files: {
      'app.ts': `
import { t } from 'i18next'
// @ts-expect-error there is no key
t('title')
`,
    },
  },
  alone: {
    format: 'i18next-json',
    bundles: { common, home },
    path: '/types.d.ts?namespace=home',
    files: {
      'app.ts': `
import { t } from 'i18next'
t('welcome', { name: 'Ann' })
// @ts-expect-error of a namespace that was not asked for
t('title')
`,
    },
  },
}

/** Creates the project of an app and its folder. @returns the folder */
async function typedApp(t: Test, server: Server, { key }: Organization, name: string): Promise<string> {
  const { format, interpolation, bundles, path, files } = APPS[name]!
  const project = `/api/projects/${name}`
  const made = await server.call('POST', '/api/projects', {
    key,
    body: { name, slug: name, sourceLanguage: 'en', defaultFormat: format, interpolation },
  })
  t.equal(made.status, 201)
  for (const [namespace, body] of Object.entries(bundles)) {
    await server.must('PUT', `${project}/bundles/en/${namespace}`, { key, body })
  }
  const types = await server.must('GET', project + path, { key })
  return appFolder(t, name, { ...files, 'i18next.d.ts': types.text })
}

/** A folder with the files of an app. */
export function appFolder(t: Test, name: string, files: Record<string, string>): string {
  const folder = join(t.testdirName, name)
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of Object.entries({ ...files, 'package.json': '{"type":"module"}' })) {
    writeFileSync(join(folder, file), text)
  }
  return folder
}

/** Compiles every app against the types of its project, with every i18next. */
export async function compileApps(
  t: Test,
  typescript: keyof typeof TYPESCRIPT,
  versions = Object.keys(I18NEXT) as (keyof typeof I18NEXT)[],
): Promise<void> {
  const server = await startServer(t)
  const acme = await server.organization('Ann')
  for (const name of Object.keys(APPS)) {
    const folder = await typedApp(t, server, acme, name)
    for (const version of versions) {
      // Without a valid default namespace each of these two fails differently.
      for (const skipLibCheck of name === 'several' ? [false, true] : [false]) {
        const { said } = await compile(folder, version, typescript, skipLibCheck)
        t.equal(said, '', `${name}, i18next ${version}${skipLibCheck ? ', skipLibCheck' : ''}`)
      }
    }
  }
}

/** Compiles an app strictly, by default the types of i18next too. @returns as {@link compileBy} */
export function compile(
  folder: string,
  i18next: keyof typeof I18NEXT,
  typescript: keyof typeof TYPESCRIPT,
  skipLibCheck = false,
) {
  return compileBy(typescript, folder, `tsconfig-${i18next}-${typescript}.json`, {
    skipLibCheck,
    paths: { i18next: [join(folderOf(I18NEXT[i18next]), 'index.d.ts')] },
  })
}

/** Compiles an app strictly. @returns what the compiler says; processor time in seconds */
export function compileBy(
  typescript: keyof typeof TYPESCRIPT,
  folder: string,
  file: string,
  options: object,
): Promise<{ said: string; seconds: number }> {
  const settings = {
    compilerOptions: {
      target: 'es2022',
      module: 'nodenext',
      moduleResolution: 'nodenext',
      strict: true,
      noEmit: true,
      types: [],
      ...options,
    },
    include: ['.'],
  }
  writeFileSync(join(folder, file), JSON.stringify(settings))
  const tsc = join(folderOf(TYPESCRIPT[typescript]), 'bin/tsc')
  // The last line of `times` in bash is the user and system time of its children.
  // The preloads of tap in NODE_OPTIONS would stop the compiler without output.
  const script = 'env -u NODE_OPTIONS "$0" "$1" -p "$2" 2>&1; times'
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', script, process.execPath, tsc, file], { cwd: folder }, (error, output) => {
      const [, minutes, seconds] = /(\d+)m([\d.]+)s \S+\n$/.exec(output) ?? []
      if (error || seconds === undefined) return reject(error ?? new Error(output))
      resolve({ said: output.split('\n').slice(0, -3).join('\n'), seconds: Number(minutes) * 60 + Number(seconds) })
    })
  })
}
