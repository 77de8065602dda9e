/** Marks after random histories of every write: compared with a slow, obvious model after each of them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { bundleIn } from '../../src/bundle/canonical.ts'
import type { Message } from '../../src/bundle/message.ts'
import { textDigest } from '../../src/bundle/text-digest.ts'
import { eventually, type Organization, type Server, startServer } from '../contract/server.ts'

const KEYS = ['a', 'b', 'n.c', 'p']
const key = fc.constantFrom(...KEYS)
const target = fc.constantFrom('de', 'de', 'fr')
const language = fc.oneof(fc.constant('en'), target)
const namespace = fc.constantFrom('common', 'common', 'shared')
/** Most of them have a problem beside a source without outer spaces. */
const text = fc.constantFrom('one ', 'two ', 'three')
const resource = fc.dictionary(fc.constantFrom('a', 'b', 'n.c', 'p_one', 'p_other'), text, { maxKeys: 5 })
const scope = fc.record({ language, namespace, key }, { requiredKeys: [] })
/** Of no text. */
const FOREIGN = '0000000000000000'

/** Digests, and messages, by `<language>/<namespace>/<key>`. */
type Marks = Record<string, string>
type Texts = Record<string, Message>
interface Moment {
  revision: string
  marks: Marks
  texts: Texts
}
/** What the model knows of a write beside the texts. */
interface Effect {
  /** The marks that the write names. */
  marks?: (before: Moment) => Marks
  /** The new place of each mark, undefined where it goes. */
  moved?: (place: Place, before: Moment) => string | undefined
  then?: Moment
  left?: Moment
  part?: { language?: string; namespace?: string; key?: string }
}
type Act = (world: World, past: readonly Moment[]) => Promise<Effect | undefined>
interface Place {
  language: string
  namespace: string
  key: string
}

const url = '/api/projects/web'
const at = (language: string, namespace: string) => `${url}/bundles/${language}/${namespace}`
const nameOf = ({ language, namespace, key }: Place) => `${language}/${namespace}/${key}`
function placeOf(name: string): Place {
  const [language, namespace, key] = name.split('/') as [string, string, string]
  return { language, namespace, key }
}

/** A server with a project. */
class World {
  server: Server
  readonly acme: Organization
  readonly #start: () => Promise<Server>

  constructor(server: Server, acme: Organization, start: () => Promise<Server>) {
    this.server = server
    this.acme = acme
    this.#start = start
  }

  async call(method: string, path: string, body?: unknown): Promise<boolean> {
    const { status, text } = await this.server.call(method, path, {
      key: this.acme.key,
      ...(body !== undefined && { body }),
    })
    if (status >= 500) throw new Error(`${method} ${path}: ${text}`)
    return status < 300
  }

  newest(): Promise<string> {
    return this.server.newest(this.acme.id)
  }

  /** By git alone. */
  moment(revision: string): Moment {
    const { server, acme } = this
    const moment: Moment = { revision, marks: {}, texts: {} }
    for (const path of server.git(acme.id, 'ls-tree', '-r', '--name-only', revision, 'web/').trim().split('\n')) {
      const [, folder, language, file = ''] = path.split('/')
      if (folder !== 'marks' && folder !== 'locales') continue
      const bytes = server.git(acme.id, 'show', `${revision}:${path}`)
      const name = (key: string) => `${language}/${file.replace('.json', '')}/${key}`
      if (folder === 'locales')
        for (const { key, message } of bundleIn(Buffer.from(bytes)).rows()) moment.texts[name(key)] = message
      else
        for (const [key, { dismissed }] of Object.entries<{ dismissed: { space: { of: string } } }>(JSON.parse(bytes)))
          moment.marks[name(key)] = dismissed.space.of
    }
    return moment
  }

  /** Saves a file in the work tree, or removes it, and waits until it is committed. */
  async edit(path: string, value: object | null): Promise<void> {
    const isClean = () => this.server.git(this.acme.id, 'status', '--porcelain') === ''
    await this.server.newest(this.acme.id)
    await eventually(isClean)
    const file = join(this.server.repository(this.acme.id), path)
    mkdirSync(dirname(file), { recursive: true })
    if (value === null) rmSync(file, { force: true })
    else writeFileSync(file, JSON.stringify(value))
    await eventually(isClean)
  }

  /** Commits a file with git while the server is stopped, or removes it. The next start may add a commit. */
  async commit(path: string, value: object | null): Promise<void> {
    await this.newest()
    await this.server.close()
    const { server, acme } = this
    const file = join(server.repository(acme.id), path)
    mkdirSync(dirname(file), { recursive: true })
    if (value === null) rmSync(file, { force: true })
    else writeFileSync(file, JSON.stringify(value))
    server.git(acme.id, 'add', '-A')
    const person = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
    server.git(acme.id, ...person, 'commit', '-q', '--allow-empty', '-m', 'by hand')
    this.server = await this.#start()
  }
}

const when = (done: boolean, effect: Effect): Effect | undefined => (done ? effect : undefined)

function digestIn({ texts }: Moment, name: string): string | undefined {
  const message = texts[name]
  return message === undefined
    ? undefined
    : textDigest(texts[nameOf({ ...placeOf(name), language: 'en' })] ?? null, message)
}

/** The marks without those of a file that fit no text. */
const fitting = (before: Moment, of: Place): Marks =>
  Object.fromEntries(
    Object.entries(before.marks).filter(([name, digest]) => {
      const { language, namespace } = placeOf(name)
      return language !== of.language || namespace !== of.namespace || digestIn(before, name) === digest
    }),
  )

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.tuple(target, namespace, key, fc.integer({ max: 9 })).map(
      ([language, namespace, key, nth]): Act =>
        async world => {
          const dismissed = nth % 4 !== 0
          const place = { language, namespace, key }
          return when(await world.call('POST', `${url}/dismiss`, { ...place, kind: 'space', dismissed }), {
            marks: before => {
              const { [nameOf(place)]: _, ...others } = fitting(before, place)
              return dismissed ? { ...others, [nameOf(place)]: digestIn(before, nameOf(place))! } : others
            },
          })
        },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(language, namespace, key, text).map(
      ([of, ns, name, value]): Act =>
        async world =>
          when(await world.call('PUT', `${at(of, ns)}/${name}`, { value: of === 'en' ? value.trim() : value }), {}),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(language, namespace, resource, fc.boolean()).map(
      ([of, ns, body, prune]): Act =>
        async world =>
          when(await world.call('POST', `${url}/push?prune=${prune}`, { bundles: { [of]: { [ns]: body } } }), {}),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(language, namespace, key).map(
      ([of, ns, name]): Act =>
        async world =>
          when(await world.call('DELETE', `${at(of, ns)}/${name}`), {}),
    ),
  },
  fc.tuple(target, namespace).map(
    ([of, ns]): Act =>
      async world =>
        when(await world.call('DELETE', at(of, ns)), {}),
  ),
  {
    weight: 3,
    arbitrary: fc.tuple(namespace, key, key).map(
      ([ns, from, to]): Act =>
        async world =>
          when(await world.call('POST', `${url}/rename-key`, { namespace: ns, from, to }), {
            moved: (place, { marks }) => {
              if (place.namespace !== ns) return nameOf(place)
              if (place.key === from) return nameOf({ ...place, key: to })
              return place.key === to && nameOf({ ...place, key: from }) in marks ? undefined : nameOf(place)
            },
          }),
    ),
  },
  fc.tuple(namespace, key).map(
    ([ns, name]): Act =>
      async world =>
        when(await world.call('POST', `${url}/delete-key`, { namespace: ns, key: name }), {
          moved: place => (place.namespace === ns && place.key === name ? undefined : nameOf(place)),
        }),
  ),
  {
    weight: 2,
    arbitrary: fc.boolean().map((isBack): Act => {
      const [from, to] = isBack ? ['shared', 'common'] : ['common', 'shared']
      return async world =>
        when(await world.call('POST', `${url}/rename-namespace`, { from, to }), {
          moved: (place, { marks }) => {
            if (place.namespace === from) return nameOf({ ...place, namespace: to! })
            const isReplaced = Object.keys(marks).some(name => name.startsWith(`${place.language}/${from}/`))
            return place.namespace === to && isReplaced ? undefined : nameOf(place)
          },
        })
    }),
  },
  {
    weight: 2,
    arbitrary: fc.boolean().map((isBack): Act => {
      const [from, to] = isBack ? ['pl', 'de'] : ['de', 'pl']
      return async world =>
        when(await world.call('POST', `${url}/rename-language`, { from, to }), {
          moved: place =>
            place.language === from
              ? nameOf({ ...place, language: to! })
              : place.language === to
                ? undefined
                : nameOf(place),
        })
    }),
  },
  fc.boolean().map(
    (flat): Act =>
      async world =>
        when(await world.call('PATCH', url, { defaultFormat: flat ? 'i18next-json-flat' : 'i18next-json' }), {}),
  ),
  {
    weight: 3,
    arbitrary: fc.nat().map(
      (nth): Act =>
        async (world, past) => {
          if (past.length < 2) return undefined
          const index = 1 + (nth % (past.length - 1))
          const [then, left] = [past[index - 1]!, past[index]!]
          return when(await world.call('POST', `${url}/revert`, { revision: left.revision }), { then, left })
        },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(scope, fc.nat()).map(
      ([part, nth]): Act =>
        async (world, past) => {
          const then = past[nth % past.length]!
          const { key: name, ...rest } = part
          const body = { ...rest, ...(rest.namespace && name && { key: name }) }
          return when(await world.call('POST', `${url}/restore`, { at: then.revision, ...body }), { then, part: body })
        },
    ),
  },
  fc.tuple(language, resource, fc.boolean()).map(
    ([of, body, isCommit]): Act =>
      async world => {
        await world[isCommit ? 'commit' : 'edit'](`web/locales/${of}/common.json`, body)
        return {}
      },
  ),
  fc.tuple(fc.uniqueArray(key, { maxLength: 3 }), fc.boolean()).map(
    ([keys, isCommit]): Act =>
      async world => {
        const mark = { at: '2026-01-31T12:00:00Z', by: { id: 'u1', name: 'Ann' }, of: FOREIGN }
        const file = Object.fromEntries(keys.map(name => [name, { dismissed: { space: mark } }]))
        await world[isCommit ? 'commit' : 'edit']('web/marks/de/common.json', keys.length === 0 ? null : file)
        return {
          marks: ({ marks }) => {
            const others = Object.entries(marks).filter(([name]) => !name.startsWith('de/common/'))
            return Object.fromEntries([...others, ...keys.map(name => [`de/common/${name}`, FOREIGN])])
          },
        }
      },
  ),
)

/** The marks that follow from a write, from what the documentation says. */
function expected(before: Moment, { texts }: Moment, effect: Effect): Marks {
  const { marks, moved, then, left, part = {} } = effect
  const was = before.marks
  const now: Marks = { ...(marks?.(before) ?? was) }
  const set = (name: string, of: string | undefined) => {
    if (of === undefined) delete now[name]
    else now[name] = of
  }
  const isIn = (name: string) => {
    const { language, namespace } = placeOf(name)
    return (part.language ?? language) === language && (part.namespace ?? namespace) === namespace
  }
  const since = left ?? before
  for (const name of then ? new Set([...Object.keys(then.marks), ...Object.keys(since.marks)]) : []) {
    if (!isIn(name) || (part.key ?? placeOf(name).key) !== placeOf(name).key) continue
    if (then!.marks[name] !== since.marks[name] && was[name] === since.marks[name]) set(name, then!.marks[name])
  }
  if (moved) {
    for (const name of Object.keys(was)) delete now[name]
    for (const [name, of] of Object.entries(was)) {
      const to = moved(placeOf(name), before)
      if (to !== undefined) now[to] = of
    }
    return now
  }
  for (const name of Object.keys(before.texts)) {
    if (name in texts || now[name] !== was[name]) continue
    const isBack = then !== undefined && isIn(name) && name in then.marks
    const isLater = left !== undefined && was[name] !== left.marks[name]
    if (!isBack && !isLater) set(name, undefined)
  }
  return now
}

const sorted = (marks: Marks) => JSON.stringify(Object.entries(marks).sort(([a], [b]) => (a < b ? -1 : 1)))

t.test('writes the marks that an obvious model has, after each write; an undo of all gives the first tree', async t => {
  const histories = fc.sample(fc.array(act, { minLength: 25, maxLength: 40 }), Number(process.env.HISTORIES ?? 1))
  const folder = t.testdir()
  let marked = 0
  for (const [nth, acts] of histories.entries()) {
    const start = () => startServer(t, { dataDir: `${folder}/data${nth}` })
    const server = await start()
    const acme = await server.organization()
    await server.project(acme.key, 'web')
    const world = new World(server, acme, start)
    const bundles = { en: { a: 'one', b: 'one', 'n.c': 'one' }, de: { a: 'eins ', b: 'eins ' }, fr: { a: 'un ' } }
    for (const [of, texts] of Object.entries(bundles)) await world.call('PUT', at(of, 'common'), texts)
    const past = [world.moment(await world.newest())]
    for (const [step, run] of acts.entries()) {
      const before = past.at(-1)!
      const effect = await run(world, past)
      const after = world.moment(await world.newest())
      const model = after.revision === before.revision ? before.marks : expected(before, after, effect ?? {})
      if (sorted(after.marks) !== sorted(model)) {
        const subject = world.server.git(acme.id, 'log', '-1', '--format=%s', after.revision)
        t.equal(sorted(after.marks), sorted(model), `step ${step}: ${subject}`)
        return
      }
      const since = world.server.git(
        acme.id,
        'rev-list',
        '--reverse',
        `${before.revision}..${after.revision}`,
        '--',
        'web',
      )
      for (const revision of since.split('\n').filter(Boolean)) past.push(world.moment(revision))
      if (Object.keys(after.marks).length > 0) marked++
    }
    const revisions = past.slice(1).map(({ revision }) => revision)
    await world.server.must('POST', `${url}/revert`, { key: acme.key, body: { revisions } })
    const last = await world.newest()
    const treeAt = (revision: string) => world.server.git(acme.id, 'rev-parse', `${revision}:web`)
    t.equal(treeAt(last), treeAt(past[0]!.revision), `an undo of ${revisions.length} commits`)
    await world.server.close()
  }
  t.ok(marked > 10, `${marked} states with marks`)
})
