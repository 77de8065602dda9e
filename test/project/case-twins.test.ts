import { basename, dirname } from 'node:path'
import t from 'tap'
import { refuseSlugTwin, refuseTwins } from '../../src/project/case-twins.ts'
import { requireProject } from '../../src/project/layout.ts'
import { Overlay, type State } from '../../src/project/state.ts'
import { Tree } from '../../src/store/objects/tree.ts'
import { EMPTY_SNAPSHOT } from '../../src/store/store.ts'
import { processorTime } from '../processor-time.ts'
import { snapshotOf } from '../store/memory-head.ts'

const project = JSON.stringify({ defaultFormat: 'i18next-json', name: 'Web', sourceLanguage: 'en' })
const state = snapshotOf({
  'README.md': '',
  'web/project.json': project,
  'web/locales/de/common.json': '{}',
  'web/locales/FR/notes.txt': '',
  'web/locales/pt-BR/Home.json': '{}',
  'web/locales/pt-BR/Notes.txt': '{}',
  'Bare/project.json': project,
  'folder/file': '',
})
const web = requireProject(state, 'web')

t.test('of a bundle', async t => {
  const at = (language: string, namespace: string, beside = state as Overlay | typeof state) => {
    return () => refuseTwins(beside, web, { language, namespace })
  }
  const message = 'The language "pt-br" differs only in case from "pt-BR", which project "web" has.'
  t.throws(at('pt-br', 'x'), { code: 'conflict', message })
  t.throws(at('EN', 'x'), { code: 'conflict', message: /"en"/ }, 'the source language always exists')
  t.throws(at('de', 'home'), { code: 'conflict', message: /namespace "home" .* "Home"/ })
  t.throws(at('it', 'COMMON'), { code: 'conflict', message: /"common"/ })
  t.doesNotThrow(at('it', 'Home'))
  t.doesNotThrow(at('fr', 'new'), 'a folder without bundles is no language')
  t.doesNotThrow(at('de', 'notes'), 'another file is no namespace')

  const changed = new Overlay(state)
  changed.remove('web/locales/pt-BR/Home.json')
  changed.put('web/locales/it/New.json', Buffer.from('{}'))
  t.doesNotThrow(at('pt-br', 'home', changed), 'what went is no twin')
  t.throws(at('IT', 'x', changed), { code: 'conflict', message: /"it"/ })
  t.throws(at('de', 'new', changed), { code: 'conflict', message: /"New"/ })
})

t.test('of a project', async t => {
  for (const slug of ['WEB', 'web', 'bare']) t.throws(() => refuseSlugTwin(state, slug), { code: 'conflict' })
  for (const slug of ['readme.md', 'Folder', 'new']) t.doesNotThrow(() => refuseSlugTwin(state, slug))
})

t.test('costs hardly more among many names than among few', async t => {
  const letters = (n: number) =>
    [n, n / 26, n / 676].map(at => String.fromCharCode(97 + (Math.floor(at) % 26))).join('')
  const folder = (entries: string[]) =>
    Tree.parse(Buffer.concat(entries.sort().map(entry => Buffer.from(entry, 'latin1'))))
  const id = '\x01'.repeat(20)
  const stateOf = (count: number) => {
    const names = Array.from({ length: count }, (_, n) => letters(n))
    const root = folder(names.map(name => `40000 p${name}\0${id}`))
    const languages = folder(names.map(name => `40000 ${name}\0${id}`))
    const namespaces = folder([`100644 common.json\0${id}`])
    const treeAt = (path: string) =>
      path === ''
        ? root
        : path === 'web/locales'
          ? languages
          : path.startsWith('web/locales/')
            ? namespaces
            : Tree.EMPTY
    return {
      ...EMPTY_SNAPSHOT,
      entry: (path: string) => treeAt(dirname(path)).get(basename(path)),
      list: (path: string) => treeAt(path).entries(),
      namesLike: (path: string, name: string) => treeAt(path).namesLike(name),
    }
  }
  const [few, many] = [stateOf(50), stateOf(10_000)]
  const cost = (state: State) => {
    const before = processorTime()
    for (let n = 0; n < 2000; n++) {
      refuseSlugTwin(state, `new${n}`)
      refuseTwins(state, web, { language: `new-x${n}`, namespace: 'common' })
    }
    return processorTime() - before
  }
  cost(few)
  const ratio = cost(many) / cost(few)
  t.ok(ratio < 8, `${ratio} times the processor time among 200 times as many`)
})
