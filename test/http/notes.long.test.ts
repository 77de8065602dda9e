/** Notes after random histories of every write: compared with a slow, obvious model after each of them. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { eventually, type Organization, type Server, startServer } from '../contract/server.ts'

const KEYS = ['a', 'b', 'n.c', 'n.d', 'p']
const key = fc.constantFrom(...KEYS)
const language = fc.constantFrom('en', 'en', 'de')
const text = fc.constantFrom('one', 'two', 'three')
const resource = fc.dictionary(fc.constantFrom('a', 'b', 'n.c', 'n.d', 'p_one', 'p_other'), text, { maxKeys: 5 })
const scope = fc.record({ language, namespace: fc.constant('common'), key }, { requiredKeys: [] })

type Notes = Record<string, unknown>
/** The notes and the keys of the source after a commit. */
interface Moment {
  revision: string
  notes: Notes
  keys: string[]
}
/** What the model knows of a write beside the texts. */
interface Effect {
  /** Notes that the write names, by key. */
  notes?: (before: Notes) => Notes
  renamed?: [from: string, to: string]
  deleted?: string
  then?: Moment
  left?: Moment
  part?: { language?: string; key?: string }
}
type Act = (world: World, past: readonly Moment[]) => Promise<Effect | undefined>

const url = '/api/projects/web'
const at = (of: string) => `${url}/bundles/${of}/common`
const person = (note: string) => ({ note, from: 'person' })

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
    const { status } = await this.server.call(method, path, { key: this.acme.key, ...(body !== undefined && { body }) })
    return status < 300
  }

  newest(): Promise<string> {
    return this.server.newest(this.acme.id)
  }

  async moment(revision: string): Promise<Moment> {
    const { key } = this.acme
    const { notes } = (await this.server.get(`${url}/notes/common?at=${revision}`, key)).json
    const { json } = await this.server.get(`${url}/bundles/en?at=${revision}`, key)
    return { revision, notes, keys: json.keys.map((row: { key: string }) => row.key) }
  }

  /** Saves a file in the work tree, or removes it, and waits until it is committed. */
  async edit(path: string, value: object | null): Promise<void> {
    const isClean = () => this.server.git(this.acme.id, 'status', '--porcelain') === ''
    await this.server.newest(this.acme.id)
    await eventually(isClean)
    const file = join(this.server.repository(this.acme.id), path)
    if (value === null && !existsSync(file)) return
    mkdirSync(dirname(file), { recursive: true })
    if (value === null) rmSync(file)
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

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(key, text).map(
      ([name, note]): Act =>
        async world =>
          when(await world.call('PUT', `${url}/notes/common/${name}`, { note }), {
            notes: old => ({ ...old, [name]: person(note) }),
          }),
    ),
  },
  key.map(
    (name): Act =>
      async world =>
        when(await world.call('DELETE', `${url}/notes/common/${name}`), { notes: ({ [name]: _, ...rest }) => rest }),
  ),
  {
    weight: 3,
    arbitrary: fc.tuple(fc.dictionary(key, text, { maxKeys: 3 }), language, resource, fc.boolean()).map(
      ([notes, of, body, prune]): Act =>
        async world => {
          const code = Object.fromEntries(Object.entries(notes).map(([name, note]) => [name, { note }]))
          const done = await world.call('POST', `${url}/push?prune=${prune}`, {
            bundles: { [of]: { common: body } },
            notes: { common: code },
          })
          const isPersons = (note: unknown) => (note as { from?: string } | undefined)?.from === 'person'
          return when(done, {
            notes: old => {
              const added = Object.entries(notes).filter(([name]) => !isPersons(old[name]))
              return { ...old, ...Object.fromEntries(added.map(([name, note]) => [name, { note, from: 'code' }])) }
            },
          })
        },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(language, key, text).map(
      ([of, name, value]): Act =>
        async world =>
          when(await world.call('PUT', `${at(of)}/${name}`, { value }), {}),
    ),
  },
  fc.tuple(language, resource, fc.boolean()).map(
    ([of, body, prune]): Act =>
      async world =>
        when(await world.call('PUT', `${at(of)}?prune=${prune}`, body), {}),
  ),
  {
    weight: 2,
    arbitrary: fc.tuple(language, key).map(
      ([of, name]): Act =>
        async world =>
          when(await world.call('DELETE', `${at(of)}/${name}`), {}),
    ),
  },
  language.map(
    (of): Act =>
      async world =>
        when(await world.call('DELETE', at(of)), {}),
  ),
  {
    weight: 3,
    arbitrary: fc.tuple(key, key).map(
      ([from, to]): Act =>
        async world =>
          when(await world.call('POST', `${url}/rename-key`, { namespace: 'common', from, to }), {
            renamed: [from, to],
          }),
    ),
  },
  key.map(
    (name): Act =>
      async world =>
        when(await world.call('POST', `${url}/delete-key`, { namespace: 'common', key: name }), { deleted: name }),
  ),
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
  fc.tuple(fc.dictionary(key, text, { maxKeys: 3 }), fc.boolean()).map(
    ([notes, isCommit]): Act =>
      async world => {
        const file = Object.fromEntries(Object.entries(notes).map(([name, note]) => [name, person(note)]))
        await world[isCommit ? 'commit' : 'edit']('web/notes/common.json', Object.keys(file).length === 0 ? null : file)
        return { notes: () => file }
      },
  ),
)

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** The notes that follow from a write, from what the documentation says. */
function expected({ notes: was, keys: had }: Moment, has: string[], effect: Effect): Notes {
  const { notes = old => old, renamed, deleted, then, left, part } = effect
  const now: Notes = { ...notes(was) }
  const set = (key: string, note: unknown) => {
    if (note === undefined) delete now[key]
    else now[key] = note
  }
  for (const key of then && part?.language !== 'de' ? KEYS : []) {
    if ((part?.key ?? key) !== key) continue
    if (part?.language === 'en' && (had.includes(key) || !has.includes(key) || key in now)) continue
    const since = left ?? { notes: was }
    if (!same(then!.notes[key], since.notes[key]) && same(was[key], since.notes[key])) set(key, then!.notes[key])
  }
  if (renamed && renamed[0] in was) {
    set(renamed[0], undefined)
    set(renamed[1], was[renamed[0]])
  }
  if (deleted) set(deleted, undefined)
  for (const key of had) {
    if (has.includes(key) || !same(now[key], was[key])) continue
    const isBack = part?.language !== 'de' && then !== undefined && key in then.notes
    const isLater = left !== undefined && !same(was[key], left.notes[key])
    if (!isBack && !isLater) set(key, undefined)
  }
  return now
}

const sorted = (notes: Notes) => JSON.stringify(Object.entries(notes).sort(([a], [b]) => (a < b ? -1 : 1)))

t.test('writes the notes that an obvious model has, after each write; an undo of all gives the first tree', async t => {
  const histories = fc.sample(fc.array(act, { minLength: 25, maxLength: 40 }), Number(process.env.HISTORIES ?? 1))
  const folder = t.testdir()
  let noted = 0
  for (const [nth, acts] of histories.entries()) {
    const start = () => startServer(t, { dataDir: `${folder}/data${nth}` })
    const server = await start()
    const acme = await server.organization()
    await server.project(acme.key, 'web')
    const world = new World(server, acme, start)
    await world.call('PUT', at('en'), { a: 'one', b: 'one', 'n.c': 'one' })
    const past = [await world.moment(await world.newest())]
    for (const [step, run] of acts.entries()) {
      const before = past.at(-1)!
      const effect = await run(world, past)
      const after = await world.moment(await world.newest())
      const model = after.revision === before.revision ? before.notes : expected(before, after.keys, effect ?? {})
      if (sorted(after.notes) !== sorted(model)) {
        const subject = world.server.git(acme.id, 'log', '-1', '--format=%s', after.revision)
        t.equal(sorted(after.notes), sorted(model), `step ${step}: ${subject}`)
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
      for (const revision of since.split('\n').filter(Boolean)) past.push(await world.moment(revision))
      if (Object.keys(after.notes).length > 0) noted++
    }
    const revisions = past.slice(1).map(({ revision }) => revision)
    await world.server.must('POST', `${url}/revert`, { key: acme.key, body: { revisions } })
    const last = await world.newest()
    const treeAt = (revision: string) => world.server.git(acme.id, 'rev-parse', `${revision}:web`)
    t.equal(treeAt(last), treeAt(past[0]!.revision), `an undo of ${revisions.length} commits`)
    await world.server.close()
  }
  t.ok(noted > 10, `${noted} states with notes`)
})
