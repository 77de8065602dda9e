/**
 * Three small apps, as developers have them, with the real i18next-cli that extracts their keys: what a translator
 * wrote comes with `parlance pull`, and `i18next-cli extract && parlance pull` changes nothing the second time. `npm
 * run test:long` installs i18next-cli (33 MB, no package that anything else needs) before the tests; where it is not
 * there they are skipped.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Parlance, parlance, startParlance } from './command.ts'

const root = join(import.meta.dirname, '../..')
const tools = join(root, 'node_modules/.cache/i18next-cli')
const skip = !existsSync(join(tools, 'node_modules/i18next-cli')) && '`npm run test:long` installs i18next-cli first'

/** A copy of a project, in a repository of its own, with the tools installed. */
class Project {
  readonly folder: string
  readonly #t: Test
  readonly #env: Record<string, string>

  constructor(t: Test, name: string, { env }: Parlance) {
    this.#t = t
    this.#env = env
    this.folder = join(t.testdir(), name)
    cpSync(join(import.meta.dirname, 'projects', name), this.folder, { recursive: true })
    symlinkSync(join(tools, 'node_modules'), join(this.folder, 'node_modules'))
    writeFileSync(join(this.folder, '.gitignore'), 'node_modules\n.home\n')
    this.git('init', '-q')
    this.commit('The app')
  }

  git(...words: string[]): string {
    const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
    return execFileSync('git', [...who, '-C', this.folder, ...words], { encoding: 'utf8' })
  }

  commit(message: string): void {
    this.git('add', '-A')
    this.git('commit', '--allow-empty', '-qm', message)
  }

  extract(app = '.'): void {
    execFileSync(process.execPath, [join(tools, 'node_modules/i18next-cli/dist/esm/cli.js'), 'extract'], {
      cwd: join(this.folder, app),
      env: { PATH: process.env.PATH, HOME: this.folder, CI: '1' },
      stdio: 'pipe',
    })
  }

  /** A command that must succeed. @returns what it printed */
  async must(app: string, ...words: string[]): Promise<string> {
    const ended = await parlance(this.#t, join(this.folder, app), words, this.#env)
    this.#t.equal(ended.code, 0, `${words.join(' ')}: ${ended.out}${ended.err}`)
    return ended.out
  }

  /** What the working tree has that is not committed. */
  changes(): string {
    return this.git('status', '--porcelain')
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8')
  }

  /** What the first time brings is committed; the second time brings nothing. */
  async isAtRest(app: string): Promise<void> {
    for (const round of ['first', 'second']) {
      if (round === 'second') this.commit('What came')
      this.extract(app)
      await this.must(app, 'pull')
    }
    this.#t.equal(this.changes(), '', 'extract && pull, a second time, leaves the working tree as it is')
  }
}

/** What a translator does, on the server. */
function translate({ server, acme }: Parlance, path: string, value: unknown): Promise<unknown> {
  return server.must('PUT', `/api/projects/${path}`, { key: acme.key, body: { value } })
}

t.test('three apps', { skip }, async t => {
  const parlance = await startParlance(t)

  await t.test('a React app: nested keys, plurals, contexts, a config in TypeScript that imports', async t => {
    const app = new Project(t, 'react', parlance)
    app.extract()
    await app.must('.', 'init', '--project', 'shop', '--yes')
    await app.isAtRest('.')

    await translate(parlance, 'shop/bundles/pl/cart/items', {
      one: '{{count}} produkt',
      few: '{{count}} produkty',
      many: '{{count}} produktów',
      other: '{{count}} produktu',
    })
    await translate(parlance, 'shop/bundles/ar/cart/items_two', 'عنصران')
    await translate(parlance, 'shop/bundles/pl/common/nav.Home', 'Start')
    await translate(parlance, 'shop/bundles/pl/common/friend_female', 'Przyjaciółka')
    await app.must('.', 'pull')
    t.match(app.read('public/locales/pl/cart.json'), '"items_many": "{{count}} produktów"')
    t.match(app.read('public/locales/ar/cart.json'), '"items_two": "عنصران"')
    t.match(app.read('public/locales/pl/common.json'), '"Home": "Start"')
    await app.isAtRest('.')

    const source = app.read('src/Cart.tsx')
    writeFileSync(join(app.folder, 'src/Cart.tsx'), source.replace('</h2>', "</h2>{t('Empty', 'Nothing here')}"))
    app.extract()
    await app.must('.', 'push', '--message', 'An empty cart says so')
    await translate(parlance, 'shop/bundles/pl/cart/Empty', 'Pusto')
    await app.must('.', 'pull')
    t.match(app.git('diff', '--stat'), /4 files changed, \d+ insertions/, 'the code, and one line in each language')
    await app.isAtRest('.')
  })

  await t.test('a Next.js layout: sentences as keys, tabs, a function for the output', async t => {
    const app = new Project(t, 'next', parlance)
    app.extract()
    await app.must('.', 'init', '--project', 'blog', '--yes')
    const key = encodeURIComponent('Welcome to Acme.')
    await translate(parlance, `blog/bundles/de/translation/${key}`, 'Willkommen bei Acme.')
    await translate(parlance, 'blog/bundles/de/translation/nav.home', 'Start')
    await app.must('.', 'pull')
    const german = app.read('app/i18n/locales/de/translation.json')
    t.match(german, '\t"Welcome to Acme.": "Willkommen bei Acme."')
    t.match(german, '\t"nav.home": "Start"')
    await app.isAtRest('.')
  })

  await t.test('a monorepo: a config with an enum, another with one file a language', async t => {
    const both = new Project(t, 'monorepo', parlance)
    for (const app of ['web', 'admin']) {
      both.extract(`apps/${app}`)
      await both.must(`apps/${app}`, 'init', '--project', app, '--yes')
    }
    await translate(parlance, 'web/bundles/fr/forms/email.label', 'Adresse')
    await translate(parlance, 'admin/bundles/en/audit/title', 'Audit trail')
    for (const app of ['web', 'admin']) await both.must(`apps/${app}`, 'pull')
    t.match(both.read('apps/web/src/locales/fr/forms.json'), '"label": "Adresse"')
    t.match(both.read('apps/admin/locales/en.json'), '"title": "Audit trail"')
    for (const app of ['web', 'admin']) await both.isAtRest(`apps/${app}`)
  })
})
