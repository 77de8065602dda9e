/** Random histories of writes by people of different rights, held to an oracle after each write. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import type { Test } from 'tap'
import type { LanguageRights } from '../../../src/auth/rights.ts'
import { eventually, git, type Organization, type Server, startServer } from '../../contract/server.ts'
import { newFolder } from '../../new-folder.ts'
import { ApprovalOracle, NO_TEXT } from './approval-oracle.ts'

/** Who writes. `owner` is not narrowed; `adder` registers missing keys. */
const PEOPLE = ['owner', 'reviewer', 'german', 'translator', 'translator', 'suggester', 'adder'] as const
type Person = (typeof PEOPLE)[number]
const RIGHTS: Partial<Record<Person, LanguageRights>> = {
  reviewer: [{ languages: ['*'], may: 'review' }],
  german: [
    { languages: ['de'], may: 'review' },
    { languages: ['*'], may: 'translate' },
  ],
  translator: [{ languages: ['*'], may: 'translate' }],
  suggester: [{ languages: ['*'], may: 'suggest' }],
}
/** Names in git beside those of the people: an edit of the work tree, and a commit while the server is stopped. */
const OPERATORS = ['owner', 'reviewer', 'External edit', 'operator']
const reviews = (author: string, language: string) =>
  OPERATORS.includes(author) || (author === 'german' && language === 'de')

const KEYS = ['a', 'b', 'n.c', 'p']
const person = fc.constantFrom(...PEOPLE)
const key = fc.constantFrom(...KEYS)
const target = fc.constantFrom('de', 'de', 'fr')
const language = fc.oneof({ weight: 1, arbitrary: fc.constant('en') }, { weight: 3, arbitrary: target })
const namespace = fc.constantFrom('common', 'common', 'common', 'shared')
const text = fc.constantFrom('one', 'two', 'three')
const resource = fc.dictionary(fc.constantFrom('a', 'b', 'n.c', 'p_one', 'p_other'), text, { maxKeys: 4 })
const scope = fc.record({ language, namespace, key }, { requiredKeys: [] })

const url = '/api/projects/web'
const at = (language: string, namespace: string) => `${url}/bundles/${language}/${namespace}`

/** A server that can be restarted, with a project and the tokens of all people. */
class World {
  server: Server
  readonly acme: Organization
  readonly keys: Record<Person, string>
  /** The newest commits, the oldest first. */
  readonly past: string[] = []
  readonly #t: Test

  private constructor(t: Test, server: Server, acme: Organization, keys: Record<Person, string>) {
    this.#t = t
    this.server = server
    this.acme = acme
    this.keys = keys
  }

  static async open(t: Test): Promise<World> {
    const server = await startServer(t, { dataDir: join(newFolder(t), 'data') })
    const acme = await server.organization()
    const mint = async (name: Person): Promise<string> => {
      const scope = name === 'adder' ? 'add' : 'write'
      const rights = RIGHTS[name]
      return (
        await server.must('POST', '/api/tokens', { as: acme.owner, body: { name, scope, ...(rights && { rights }) } })
      ).json.key
    }
    const keys = {} as Record<Person, string>
    for (const name of new Set(PEOPLE)) keys[name] = await mint(name)
    await server.project(keys.owner, 'web')
    return new World(t, server, acme, keys)
  }

  /** Whether the write was accepted. */
  async call(by: Person, method: string, path: string, body?: unknown): Promise<boolean> {
    const sending = { key: this.keys[by], ...(body !== undefined && { body }) }
    const { status, text } = await this.server.call(method, path, sending)
    if (status >= 500) throw new Error(`${method} ${path}: ${text}`)
    return status < 300
  }

  /** The ids of suggestions that wait, by language. */
  async waiting(language: string): Promise<string[]> {
    const { suggestions } = (await this.server.get(`${url}/suggestions?language=${language}`, this.keys.owner)).json
    return suggestions.map(({ id }: { id: string }) => id)
  }

  /** Saves a file in the work tree, or removes it, and waits until the server has committed it. */
  async edit(path: string, value: object | null): Promise<void> {
    await this.#untilClean()
    this.#put(path, value)
    await this.#untilClean()
  }

  /** A commit by git while the server is stopped. */
  async commit(path: string, value: object | null): Promise<void> {
    await this.#untilClean()
    await this.server.close()
    this.#put(path, value)
    const repository = this.server.repository(this.acme.id)
    git(repository, 'add', '-A')
    const as = ['-c', 'user.name=operator', '-c', 'user.email=operator@example.com']
    git(repository, ...as, 'commit', '-q', '--allow-empty', '-m', 'by hand')
    this.server = await startServer(this.#t, { dataDir: this.server.dataDir })
  }

  #put(path: string, value: object | null): void {
    const file = join(this.server.repository(this.acme.id), path)
    mkdirSync(dirname(file), { recursive: true })
    if (value === null) rmSync(file, { force: true })
    else writeFileSync(file, JSON.stringify(value))
  }

  async #untilClean(): Promise<void> {
    await this.server.newest(this.acme.id)
    const isClean = await eventually(() => this.server.git(this.acme.id, 'status', '--porcelain') === '', 120_000)
    if (!isClean) throw new Error('The work tree does not become clean.')
  }

  /** What the server says is approved, as `<language>/<namespace>/<key>`. */
  async approved(): Promise<string[]> {
    const found: string[] = []
    for (const { language, approved } of (await this.server.get(`${url}/status`, this.keys.owner)).json.languages) {
      const { keys } = (await this.server.get(`${url}/status/keys?language=${language}&is=approved`, this.keys.owner))
        .json
      for (const { namespace, key } of keys) found.push(`${language}/${namespace}/${key}`)
      const counted = keys.filter(({ is }: { is: string[] }) => !is.includes('extra')).length
      if (counted !== approved) throw new Error(`${language} counts ${approved} approvals of ${counted}`)
    }
    return found.sort()
  }
}

/** Returns whether it was accepted, and says what it is. */
type Act = { name: string; run: (world: World) => Promise<unknown> }

const call = (by: Person, method: string, path: string, body?: unknown): Act => ({
  name: `${by}: ${method} ${path.replace(url, '')} ${JSON.stringify(body) ?? ''}`,
  run: world => world.call(by, method, path, body),
})
const weighted = (weight: number, arbitrary: fc.Arbitrary<Act>) => ({ weight, arbitrary })
const back = (from: string, to: string) => fc.boolean().map(isBack => (isBack ? { from: to, to: from } : { from, to }))

const act: fc.Arbitrary<Act> = fc.oneof(
  weighted(
    8,
    fc
      .tuple(person, target, namespace, fc.option(fc.uniqueArray(key, { minLength: 1, maxLength: 3 })))
      .map(([by, language, namespace, keys]) =>
        call(by, 'POST', `${url}/approve`, { language, ...(keys ? { namespace, keys } : {}) }),
      ),
  ),
  weighted(
    4,
    fc
      .tuple(person, target, namespace, fc.uniqueArray(key, { minLength: 1, maxLength: 2 }))
      .map(([by, language, namespace, keys]) => call(by, 'POST', `${url}/unapprove`, { language, namespace, keys })),
  ),
  weighted(
    7,
    fc
      .tuple(person, language, namespace, key, text)
      .map(([by, language, namespace, key, value]) =>
        call(by, 'PUT', `${at(language, namespace)}/${key}`, { value: key === 'p' ? { other: value } : value }),
      ),
  ),
  weighted(
    3,
    fc.tuple(person, language, namespace, resource, fc.boolean()).map(([by, language, namespace, body, prune]) =>
      call(by, 'POST', `${url}/push?overwrite=true&prune=${prune}`, {
        bundles: { [language]: { [namespace]: body } },
      }),
    ),
  ),
  weighted(
    2,
    fc
      .tuple(person, language, namespace, resource)
      .map(([by, language, namespace, body]) => call(by, 'PUT', at(language, namespace), body)),
  ),
  weighted(
    1,
    fc
      .tuple(person, target, namespace, resource)
      .map(([by, language, namespace, body]) => call(by, 'POST', at(language, namespace), body)),
  ),
  weighted(
    2,
    fc
      .tuple(person, language, namespace, key)
      .map(([by, language, namespace, key]) => call(by, 'DELETE', `${at(language, namespace)}/${key}`)),
  ),
  weighted(
    1,
    fc.tuple(person, target, namespace).map(([by, language, namespace]) => call(by, 'DELETE', at(language, namespace))),
  ),
  weighted(
    3,
    fc
      .tuple(person, namespace, key, key)
      .map(([by, namespace, from, to]) => call(by, 'POST', `${url}/rename-key`, { namespace, from, to })),
  ),
  weighted(
    1,
    fc
      .tuple(person, namespace, key)
      .map(([by, namespace, key]) => call(by, 'POST', `${url}/delete-key`, { namespace, key })),
  ),
  weighted(
    1,
    fc.tuple(person, back('common', 'shared')).map(([by, body]) => call(by, 'POST', `${url}/rename-namespace`, body)),
  ),
  weighted(
    1,
    fc.tuple(person, back('de', 'pl')).map(([by, body]) => call(by, 'POST', `${url}/rename-language`, body)),
  ),
  weighted(
    1,
    fc
      .boolean()
      .map(flat => call('owner', 'PATCH', url, { defaultFormat: flat ? 'i18next-json-flat' : 'i18next-json' })),
  ),
  weighted(
    3,
    fc
      .tuple(target, fc.constantFrom(null, { fourEyes: false }, { fourEyes: true }))
      .map(([language, review]) => call('owner', 'PATCH', url, { review: { [language]: review } })),
  ),
  weighted(
    3,
    fc
      .tuple(person, target, namespace, key, text)
      .map(([by, language, namespace, key, value]) =>
        call(by, 'POST', `${url}/suggestions/${language}/${namespace}/${key}`, { value }),
      ),
  ),
  weighted(
    4,
    fc.tuple(person, target, fc.boolean(), fc.boolean()).map(([by, language, anyway, accepts]) => ({
      name: `${by}: ${accepts ? 'accept' : 'reject'} all of ${language}`,
      run: async world => {
        const ids = await world.waiting(language)
        if (ids.length === 0) return
        const body = { language, ids, ...(accepts && { anyway }) }
        await world.call(by, 'POST', `${url}/suggestions/${accepts ? 'accept' : 'reject'}`, body)
      },
    })),
  ),
  weighted(
    5,
    fc.tuple(person, fc.nat(5), fc.boolean()).map(([by, nth, isTwo]) => ({
      name: `${by}: undo commit ${nth} before the newest${isTwo ? ', and the one before it' : ''}`,
      run: async world => {
        const { past } = world
        const [revision, older] = [past.at(-1 - nth), past.at(-2 - nth)]
        if (revision === undefined) return
        await world.call(by, 'POST', `${url}/revert`, isTwo && older ? { revisions: [revision, older] } : { revision })
      },
    })),
  ),
  weighted(
    5,
    fc.tuple(person, scope, fc.nat()).map(([by, { key, ...part }, nth]) => ({
      name: `${by}: restore ${JSON.stringify({ ...part, key })} to commit ${nth}`,
      run: async world => {
        const { past } = world
        if (past.length === 0) return
        const body = { at: past[nth % past.length], ...part, ...(part.namespace && key && { key }) }
        await world.call(by, 'POST', `${url}/restore`, body)
      },
    })),
  ),
  weighted(
    1,
    fc.tuple(language, resource).map(([language, body]) => ({
      name: `edit the work tree of ${language}: ${JSON.stringify(body)}`,
      run: world => world.edit(`web/locales/${language}/common.json`, body),
    })),
  ),
  weighted(
    1,
    fc.uniqueArray(key, { maxLength: 3 }).map(keys => ({
      name: `edit the marks of ${keys}`,
      run: world => {
        // Of no text.
        const approved = { at: '2026-01-31T12:00:00Z', by: { id: 'u1', name: 'Ann' }, of: NO_TEXT }
        const file = Object.fromEntries(keys.map(name => [name, { approved }]))
        return world.edit('web/marks/de/common.json', keys.length === 0 ? null : file)
      },
    })),
  ),
  weighted(
    1,
    fc.tuple(language, resource).map(([language, body]) => ({
      name: `commit ${language} while the server is stopped: ${JSON.stringify(body)}`,
      run: world => world.commit(`web/locales/${language}/common.json`, body),
    })),
  ),
)

/** Random acts between two of {@link APPROVE}. */
const FREE_ACTS = 3

/** Approves a text where none is approved, so that each history has approvals to lose. */
const APPROVE: Act = {
  name: 'approve a text where none is',
  run: async world => {
    if ((await world.approved()).length > 0) return
    // With `fourEyes` the text would wait.
    await world.call('owner', 'PATCH', url, { review: { de: null } })
    await world.call('owner', 'PUT', `${at('de', 'common')}/a`, { value: 'three' })
    await world.call('reviewer', 'POST', `${url}/approve`, { language: 'de', namespace: 'common', keys: ['a'] })
  },
}

/** @returns the number of states with an approval that holds: at least one after each {@link FREE_ACTS} of `steps` */
export async function compareWithOracle(t: Test, histories: number, steps: number): Promise<number> {
  const random = fc.array(act, { minLength: steps, maxLength: steps })
  const acts = random.map(all => all.flatMap((one, n) => ((n + 1) % FREE_ACTS === 0 ? [one, APPROVE] : [one])))
  const { seed = Math.trunc(Math.random() * 2 ** 31) } = fc.readConfigureGlobal()
  t.comment(`PROPERTY_SEED=${seed}`)
  let held = 0
  for (const history of fc.sample(acts, { numRuns: histories, seed })) held += await follow(t, history)
  return held
}

async function follow(t: Test, history: readonly Act[]): Promise<number> {
  const world = await World.open(t)
  const { acme } = world
  const texts = { en: { a: 'one', b: 'one', n: { c: 'one' } }, de: { a: 'two', b: 'two' }, fr: { a: 'two' } }
  for (const [language, body] of Object.entries(texts)) await world.call('owner', 'PUT', at(language, 'common'), body)
  const oracle = new ApprovalOracle(world.server.repository(acme.id), reviews)
  const done: string[] = []
  let held = 0
  for (const { name, run } of history) {
    await run(world)
    const revision = await world.server.newest(acme.id)
    if (revision !== world.past.at(-1)) {
      world.past.push(revision)
      done.push(`${revision.slice(0, 7)} ${name}`)
    }
    const expected = oracle.readTo(revision)
    const found = await world.approved()
    if (oracle.faults.length > 0 || JSON.stringify(found) !== JSON.stringify(expected)) {
      const log = world.server.git(acme.id, 'log', '--reverse', '--format=%h %an: %s')
      t.fail(`after ${name}`, { faults: oracle.faults, found, expected, done, log: log.split('\n') })
      break
    }
    if (found.length > 0) held++
  }
  await world.server.close()
  return held
}
