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
import { type Ended, type Parlance, parlance, startParlance } from './command.ts'

const root = join(import.meta.dirname, '../..')
const tools = join(root, 'node_modules/.cache/i18next-cli')
const skip = !existsSync(join(tools, 'node_modules/i18next-cli')) && '`npm run test:long` installs i18next-cli first'

/** A copy of a project, in a repository of its own, with the tools installed. */
class Project {
  readonly folder: string
  readonly #t: Test
  readonly #env: Record<string, string>

  private constructor(t: Test, folder: string, env: Record<string, string>) {
    this.#t = t
    this.#env = env
    this.folder = folder
  }

  static of(t: Test, name: string, { env }: Parlance): Project {
    const project = new Project(t, join(t.testdir(), name), env)
    cpSync(join(import.meta.dirname, 'projects', name), project.folder, { recursive: true })
    writeFileSync(join(project.folder, '.gitignore'), 'node_modules\n.home\n')
    project.install()
    project.git('init', '-q')
    project.commit('The app')
    return project
  }

  /** Another developer's checkout of what is committed. */
  clone(): Project {
    const clone = new Project(this.#t, `${this.folder}-clone`, this.#env)
    execFileSync('git', ['clone', '-q', this.folder, clone.folder])
    clone.install()
    return clone
  }

  install(): void {
    symlinkSync(join(tools, 'node_modules'), join(this.folder, 'node_modules'))
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

  run(app: string, ...words: string[]): Promise<Ended> {
    return parlance(this.#t, join(this.folder, app), words, this.#env)
  }

  /** A command that must succeed. @returns what it printed */
  async must(app: string, ...words: string[]): Promise<string> {
    const ended = await this.run(app, ...words)
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

  /** Changes a file as by hand. */
  edit(path: string, from: string, to: string): void {
    const text = this.read(path)
    this.#t.match(text, from)
    writeFileSync(join(this.folder, path), text.replace(from, to))
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
    const app = Project.of(t, 'react', parlance)
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

    app.edit('src/Cart.tsx', '</h2>', "</h2>{t('Empty', 'Nothing here')}")
    app.extract()
    await app.must('.', 'push', '--message', 'An empty cart says so')
    await translate(parlance, 'shop/bundles/pl/cart/Empty', 'Pusto')
    await app.must('.', 'pull')
    t.match(app.git('diff', '--stat'), /4 files changed, \d+ insertions/, 'the code, and one line in each language')
    await app.isAtRest('.')
  })

  await t.test('two developers of it, and a translator in between', async t => {
    const ann = Project.of(t, 'react', parlance)
    ann.extract()
    await ann.must('.', 'init', '--project', 'two', '--yes')
    await ann.isAtRest('.')
    const ben = ann.clone()
    await ben.must('.', 'pull')
    t.equal(ben.changes(), '', 'a fresh clone has what the server has')

    // Ann removes a text from her code and renames another, Ben writes a new one, the translator works on.
    ann.edit('src/App.tsx', "<p>{t('nav.about', 'About Acme')}</p>", '')
    ann.edit('src/App.tsx', "t('nav.Home', 'Home')", "t('nav.start', 'Home')")
    ann.extract()
    ben.edit('src/Cart.tsx', '</h2>', "</h2>{t('Empty', 'Nothing here')}")
    ben.extract()
    await translate(parlance, 'two/bundles/pl/common/nav.Home', 'Start')
    await ann.must('.', 'rename', 'nav.Home', 'nav.start', '--yes')
    await ben.must('.', 'push', '--message', 'An empty cart says so')
    await translate(parlance, 'two/bundles/pl/cart/Empty', 'Pusto')
    await ann.must('.', 'push', '--prune', '--yes')
    await ann.must('.', 'pull')
    t.match(JSON.parse(ann.read('public/locales/pl/common.json')).nav, { start: 'Start' }, 'its translation went along')
    ann.commit("Ann's")
    await ben.must('.', 'pull')
    ben.commit("Ben's")
    // Beside it stands what the extractor left empty in his files.
    ben.git('pull', '-q', '--no-rebase', '-X', 'theirs', 'origin', 'HEAD')
    t.notMatch(ben.read('public/locales/en/common.json'), 'about')

    // Both, and the translator, change one text.
    await translate(parlance, 'two/bundles/pl/cart/title', 'Twój koszyk')
    ben.edit('public/locales/pl/cart.json', '"title": ""', '"title": "Koszyk"')
    const refused = await ben.run('.', 'pull')
    t.equal(refused.code, 1)
    t.match(refused.err, /title/)
    t.match(refused.err, /Koszyk[\s\S]*Twój koszyk/)
    t.match(ben.read('public/locales/pl/cart.json'), '"title": "Koszyk"', 'his text stays')
    await ben.must('.', 'pull', '--prefer', 'theirs')
    ben.commit('What the translator says')
    ann.git('pull', '-q', '--no-rebase', ben.folder, 'HEAD')
    for (const checkout of [ann, ben]) {
      await checkout.isAtRest('.')
      await checkout.must('.', 'pull', '--check')
    }
    const files = ['en', 'pl', 'ar'].flatMap(tag =>
      ['cart', 'common'].map(name => `public/locales/${tag}/${name}.json`),
    )
    for (const path of files) t.equal(ann.read(path), ben.read(path), path)
  })

  await t.test('a Next.js layout: sentences as keys, tabs, a function for the output', async t => {
    const app = Project.of(t, 'next', parlance)
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
    const both = Project.of(t, 'monorepo', parlance)
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
