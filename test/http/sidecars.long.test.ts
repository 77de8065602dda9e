/**
 * All sidecars after random histories of all writes: a slow walk over git explains each entry that comes or goes. A
 * write of sidecars alone changes no bundle, and an undo of everything gives the first tree.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { bundleIn } from '../../src/bundle/canonical.ts'
import { readSubject } from '../../src/bundle/read-subject.ts'
import { SIDECARS, sidecarFile } from '../../src/project/sidecars/sidecars.ts'
import { eventually } from '../eventually.ts'
import { translating } from '../machine/fake-machine.ts'
import type { Sending } from './server.ts'
import { TranslationStage } from './translation-stage.ts'

const url = '/api/projects/web'
const key = fc.constantFrom('a', 'b', 'n.c', 'p')
const target = fc.constantFrom('de', 'de', 'fr')
const language = fc.constantFrom('en', 'de', 'de', 'fr')
const namespace = fc.constantFrom('common', 'common', 'shared')
const text = fc.constantFrom('one ', 'two ', 'three')
const resource = fc.dictionary(fc.constantFrom('a', 'b', 'n.c', 'p_one', 'p_other'), text, { maxKeys: 4 })
const back = (from: string, to: string) => fc.boolean().map(is => (is ? { from, to } : { from: to, to: from }))

/** A project with an owner and a translator. The texts of the translator may need a review. */
class World {
  readonly stage: TranslationStage
  readonly folder: string
  readonly past: string[] = []
  translator = ''
  deleted = false

  constructor(stage: TranslationStage) {
    this.stage = stage
    this.folder = stage.scene.server.repository(stage.scene.acme.id)
  }

  async call(method: string, path: string, body?: object, sending?: Sending) {
    const reply = await this.stage.call(method, path.startsWith('/') ? path : `${url}/${path}`, body, sending)
    if (reply.status >= 500) throw new Error(`${method} ${path}: ${reply.text}`)
    return reply
  }

  git(...args: string[]): string {
    const { server, acme } = this.stage.scene
    return server.git(acme.id, ...args)
  }

  newest(): Promise<string> {
    return this.stage.scene.server.newest(this.stage.scene.acme.id)
  }

  async edit(path: string, value: object | null): Promise<void> {
    const isClean = () => this.git('status', '--porcelain') === ''
    await this.newest()
    await eventually(isClean)
    const file = join(this.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    if (value === null) rmSync(file, { force: true })
    else writeFileSync(file, JSON.stringify(value))
    await eventually(isClean)
  }
}

type Act = (world: World) => Promise<unknown>
const call =
  (method: string, path: string, body?: object): Act =>
  world =>
    world.call(method, path, body)
const byTranslator =
  (method: string, path: string, body: object): Act =>
  world =>
    world.call(method, path, body, { key: world.translator })

/** Comments on a key: a new one, or a change or the removal of the first one. */
const commentAct = fc.tuple(namespace, key, fc.nat(5)).map(
  ([ns, name, nth]): Act =>
    async world => {
      const path = `comments/${ns}/${name}`
      const [first] = (await world.call('GET', path)).json?.comments ?? []
      if (nth < 3 || !first) return world.call('POST', path, { text: `Is it ${nth}?`, language: 'de' })
      if (nth === 3) return world.call('DELETE', `${path}/${first.id}`)
      return world.call('PATCH', `${path}/${first.id}`, nth === 4 ? { resolved: true } : { text: 'Is it 5?' })
    },
)

const decideAct = fc.tuple(target, fc.boolean()).map(
  ([of, accepts]): Act =>
    async world => {
      const ids = (await world.call('GET', `suggestions?language=${of}`)).json.suggestions.map(
        ({ id }: { id: string }) => id,
      )
      if (ids.length === 0) return
      const body = { language: of, ids, ...(accepts && { anyway: true }) }
      await world.call('POST', `suggestions/${accepts ? 'accept' : 'reject'}`, body)
    },
)

const act: fc.Arbitrary<Act> = fc.oneof(
  // Sidecars.
  { weight: 4, arbitrary: commentAct },
  { weight: 2, arbitrary: decideAct },
  {
    weight: 3,
    arbitrary: fc
      .tuple(namespace, key, text)
      .map(([ns, name, note]) => call('PUT', `notes/${ns}/${name}`, { note, max: 9 })),
  },
  fc.tuple(namespace, key).map(([ns, name]) => call('DELETE', `notes/${ns}/${name}`)),
  {
    weight: 3,
    arbitrary: fc
      .tuple(target, namespace, key, text)
      .map(([of, ns, name, value]) => call('POST', `suggestions/${of}/${ns}/${name}`, { value })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(target, namespace, key, fc.nat(3))
      .map(([of, ns, name, nth]) =>
        call('POST', 'dismiss', { language: of, namespace: ns, key: name, kind: 'space', dismissed: nth > 0 }),
      ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(target, namespace, fc.uniqueArray(key, { minLength: 1, maxLength: 3 }), fc.nat(3))
      .map(([of, ns, keys, nth]) =>
        call('POST', nth > 0 ? 'approve' : 'unapprove', { language: of, namespace: ns, keys }),
      ),
  },
  fc
    .tuple(target, namespace, key)
    .map(([of, ns, name]) => call('POST', 'confirm', { language: of, namespace: ns, keys: [name] })),
  text.map(term => call('PUT', 'glossary', { terms: [{ term }] })),
  // Texts.
  {
    weight: 4,
    arbitrary: fc
      .tuple(language, namespace, key, text)
      .map(([of, ns, name, value]) => call('PUT', `bundles/${of}/${ns}/${name}`, { value })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(target, namespace, key, text)
      .map(([of, ns, name, value]) => byTranslator('PUT', `bundles/${of}/${ns}/${name}`, { value })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(language, namespace, resource, fc.boolean(), fc.dictionary(key, text, { maxKeys: 2 }))
      .map(([of, ns, body, prune, notes]) =>
        call('POST', `push?overwrite=true&prune=${prune}`, {
          bundles: { [of]: { [ns]: body } },
          notes: { [ns]: Object.fromEntries(Object.entries(notes).map(([name, note]) => [name, { note }])) },
        }),
      ),
  },
  fc.tuple(target, namespace, resource).map(([of, ns, body]) => call('POST', `bundles/${of}/${ns}`, body)),
  {
    weight: 3,
    arbitrary: fc.tuple(target, namespace, key, key, text, fc.boolean()).map(([of, ns, name, other, value, machine]) =>
      call('POST', `changes?machine=${machine}`, {
        set: [{ language: of, namespace: ns, key: name, value }],
        ...(other !== name && { delete: [{ namespace: ns, key: other }] }),
      }),
    ),
  },
  fc
    .tuple(namespace, key, key)
    .map(([ns, from, to]) => call('POST', 'changes', { rename: { namespace: ns, from, to } })),
  {
    weight: 2,
    arbitrary: fc.constantFrom('missing', 'stale').map(
      (is): Act =>
        async world => {
          await world.stage.run(url, { languages: ['de', 'fr'], is: [is] }).catch(() => undefined)
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(language, namespace, key)
      .map(([of, ns, name]) => call('DELETE', `bundles/${of}/${ns}/${name}`)),
  },
  fc.tuple(language, namespace).map(([of, ns]) => call('DELETE', `bundles/${of}/${ns}`)),
  fc.tuple(namespace, key).map(([ns, name]) => call('POST', 'delete-key', { namespace: ns, key: name })),
  {
    weight: 3,
    arbitrary: fc
      .tuple(namespace, key, key)
      .map(([ns, from, to]) => call('POST', 'rename-key', { namespace: ns, from, to })),
  },
  back('common', 'shared').map(body => call('POST', 'rename-namespace', body)),
  back('de', 'pl').map(body => call('POST', 'rename-language', body)),
  fc.boolean().map(flat => call('PATCH', url, { defaultFormat: flat ? 'i18next-json-flat' : 'i18next-json' })),
  fc.boolean().map(is => call('PATCH', url, { review: { de: is ? { fourEyes: false } : null } })),
  {
    weight: 3,
    arbitrary: fc.nat().map(
      (nth): Act =>
        async world => {
          await world.call('POST', 'revert', { revision: world.past[1 + (nth % Math.max(1, world.past.length - 1))] })
        },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.record({ language, namespace }, { requiredKeys: [] }), fc.nat()).map(
      ([part, nth]): Act =>
        world =>
          world.call('POST', 'restore', { at: world.past[nth % world.past.length], ...part }),
    ),
  },
  fc.constant<Act>(async world => {
    const { status } = await world.call('DELETE', url)
    world.deleted = status < 300
    await world.call('POST', 'restore', { at: world.past.at(-1) })
  }),
  fc.tuple(language, resource).map(
    ([of, body]): Act =>
      world =>
        world.edit(`web/locales/${of}/common.json`, body),
  ),
  key.map(
    (name): Act =>
      world =>
        world.edit('web/notes/common.json', { [name]: { note: 'edited', from: 'person' } }),
  ),
)

/** Entries as `<place>/<key>` and the id of an item of a list; and texts, as `<language>/<namespace>/<key>`. */
interface Tree {
  entries: Map<string, { text: string; file: string; content: string }>
  texts: Set<string>
  locales: string
  faults: string[]
}

const SOURCE = 'en'

function treeAt(world: World, revision: string): Tree {
  const tree: Tree = { entries: new Map(), texts: new Set(), locales: '', faults: [] }
  for (const line of world.git('ls-tree', '-r', '-t', revision, 'web/').trim().split('\n').filter(Boolean)) {
    const [, type, id, path] = /^\d+ (\w+) (\w+)\t(.*)$/.exec(line)!
    if (path === 'web/locales') tree.locales = id!
    if (type !== 'blob') continue
    const [, folder, of, name = ''] = path!.split('/')
    const bytes = () => Buffer.from(world.git('cat-file', 'blob', id!))
    if (folder === 'locales') {
      for (const { key } of bundleIn(bytes()).rows()) tree.texts.add(`${of}/${name.replace('.json', '')}/${key}`)
    }
    const file = sidecarFile(path!)
    if (!file) continue
    const { canonical, entries } = SIDECARS[file.sidecar]
    if (!canonical(bytes())?.equals(bytes())) tree.faults.push(`${path} is not canonical`)
    for (const [key, entry] of entries(bytes())) {
      const text = `${file.language ?? SOURCE}/${file.namespace}/${key}`
      const items = Array.isArray(entry) && file.sidecar !== 'stale' ? entry : [entry]
      for (const item of items) {
        const content = JSON.stringify(item)
        tree.entries.set(`${path}/${key} ${item.id ?? ''}`, { text, file: path!, content })
      }
    }
  }
  return tree
}

/** Kinds of commits that bring back or remove any entries. */
const ANY = /^(?:undo|redo|undo-commits|restore|delete-project|external-edit)$/
/** Commits of sidecars alone. */
const ALONE =
  /^(?:note|remove-note|code-notes|(?:edit-|resolve-|reopen-|remove-)?comment|suggest|suggest-texts|reject|reject-texts|dismiss|reopen|approve|unapprove|approve-keys|unapprove-keys|confirm|confirm-keys|glossary)$/

/** Kinds of commits that write texts, which may change marks and stale notes, or become suggestions. */
const TEXTS = 'add|update|remove|push|import|replace|accept|accept-texts'
/** Kinds of commits that may add or change an entry, beside renames and what brings back a past state. */
const WRITERS: Record<string, RegExp> = {
  comments: /^(?:edit-|resolve-|reopen-)?comment$/,
  notes: new RegExp(`^(?:note|code-notes|${TEXTS})$`),
  suggestions: new RegExp(`^(?:suggest|suggest-texts|${TEXTS})$`),
  marks: new RegExp(`^(?:dismiss|reopen|approve|unapprove|approve-keys|unapprove-keys|${TEXTS})$`),
  stale: new RegExp(`^(?:delete|delete-bundle|delete-language|undo|redo|undo-commits|restore|external-edit|${TEXTS})$`),
}

/** Entries that came or changed without a reason. @param past the names of all entries that stood before */
function unexplained(subject: string, before: Tree, after: Tree, past: ReadonlySet<string>): string[] {
  const { kind = '', ...about } = readSubject(subject, 'web') ?? {}
  const faults: string[] = []
  for (const [name, { file, content }] of after.entries) {
    if (before.entries.get(name)?.content === content) continue
    const sidecar = file.split('/')[1]!
    if (WRITERS[sidecar]!.test(kind)) continue
    // It moved: the same entry stood elsewhere, or a part of it.
    const isMoved = [...before.entries].some(([old, entry]) => !after.entries.has(old) && entry.content === content)
    if (kind.startsWith('rename') && (isMoved || before.entries.has(name))) continue
    if (/^(?:undo|redo|undo-commits|restore)$/.test(kind) && past.has(name)) continue
    if (kind === 'external-edit' && 'path' in about && about.path === file) continue
    faults.push(`${name} came: ${content}`)
  }
  return faults
}

/** What a commit did to the sidecars of a project and must not have done. */
function faultsOf(subject: string, before: Tree, after: Tree, past: ReadonlySet<string>): string[] {
  const kind = readSubject(subject, 'web')?.kind ?? ''
  const faults = [...after.faults, ...unexplained(subject, before, after, past)]
  if (ALONE.test(kind) && before.locales !== after.locales) faults.push('a bundle changed')
  if (ANY.test(kind)) return faults
  const isRename = kind.startsWith('rename')
  const isGone = (text: string) => before.texts.has(text) && !after.texts.has(text)
  const idOf = (name: string) => name.slice(name.lastIndexOf(' '))
  const ids = new Set([...after.entries.keys()].map(idOf))
  for (const [name, { text, file }] of before.entries) {
    const [, sidecar] = file.split('/')
    if (after.entries.has(name)) {
      if (isGone(text) && sidecar !== 'stale') faults.push(`${name} stays without its text`)
      continue
    }
    // Marks and stale notes go with another text; a write of the sidecar removes entries.
    if (sidecar === 'stale' || sidecar === 'marks' || isGone(text)) continue
    if (isRename && (idOf(name) === ' ' || ids.has(idOf(name)))) continue
    if (sidecar === 'comments' && kind === 'remove-comment') continue
    if (sidecar === 'notes' && /^(?:remove-note|delete|push|code-notes)$/.test(kind)) continue
    if (sidecar === 'suggestions' && /^(?:accept|reject|suggest|delete|push|add|update|approve)/.test(kind)) continue
    if (kind === 'delete' && !after.texts.has(text)) continue
    faults.push(`${name} is gone`)
  }
  return faults
}

t.test('each entry follows its key, and an undo of everything gives the first tree', async t => {
  const { seed = Math.trunc(Math.random() * 2 ** 31) } = fc.readConfigureGlobal()
  t.comment(`PROPERTY_SEED=${seed}`)
  const numRuns = Number(process.env.HISTORIES ?? 2)
  const seen = new Set<string>()
  const histories = fc.sample(fc.array(act, { minLength: 50, maxLength: 70 }), { numRuns, seed })
  for (const acts of histories) await follow(t, acts, seen)
  t.strictSame([...seen].sort(), ['comments', 'marks', 'notes', 'stale', 'suggestions'], 'sidecars that were written')
})

/** @param seen gets the sidecars that were there */
async function follow(t: Test, acts: readonly Act[], seen: Set<string>): Promise<void> {
  const stage = await TranslationStage.open(t)
  stage.list(stage.fake.row('openai', { name: 'Model' }))
  stage.fake.script = translating(source => `» ${source}`)
  const { server, acme } = stage.scene
  await server.project(acme.key, 'web')
  const world = new World(stage)
  const body = { name: 'translator', scope: 'write', rights: [{ languages: ['*'], may: 'translate' }] }
  world.translator = (await server.must('POST', '/api/tokens', { as: acme.owner, body })).json.key
  const texts = { a: 'one', b: 'one', 'n.c': 'one' }
  const bundles = { en: { common: texts, shared: texts }, de: { common: texts }, fr: { common: { a: 'un ' } } }
  await world.call('POST', 'push', { bundles })
  world.past.push(await world.newest())
  let before = treeAt(world, world.past[0]!)
  const stood = new Set<string>()
  for (const run of acts) {
    await run(world)
    const last = await world.newest()
    const isNew = world.deleted
    world.deleted = false
    const since = world.git('log', '--reverse', '--format=%H %s', `${world.past.at(-1)}..${last}`, '--', 'web')
    for (const line of since.split('\n').filter(Boolean)) {
      const [revision, subject] = [line.slice(0, 40), line.slice(41)]
      const after = treeAt(world, revision)
      const faults = faultsOf(subject, before, after, stood)
      if (faults.length > 0) return void t.fail(`${subject}: ${faults.join(', ')}`)
      for (const [name, { file }] of after.entries) {
        seen.add(file.split('/')[1]!)
        stood.add(name)
      }
      world.past.push(revision)
      before = after
    }
    // No undo goes behind the end of a project.
    if (isNew) world.past.splice(0, world.past.length - 1)
  }
  const [first, ...revisions] = world.past
  if (revisions.length === 0) return
  await world.call('PATCH', url, { review: { de: null } })
  const reply = await world.call('POST', 'revert', { revisions })
  t.equal(reply.status, 200, reply.text)
  // An undo leaves the settings of a project.
  const { defaultFormat } = JSON.parse(world.git('show', `${first}:web/project.json`))
  await world.call('PATCH', url, { defaultFormat })
  const filesOf = (revision: string) =>
    world
      .git('ls-tree', '-r', revision, 'web/')
      .split('\n')
      .filter(line => !line.endsWith('web/project.json'))
  t.strictSame(filesOf(await world.newest()), filesOf(first!), `an undo of ${revisions.length} commits`)
}
