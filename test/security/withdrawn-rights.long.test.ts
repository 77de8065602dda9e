/**
 * Rights that are withdrawn while a write waits. Each write route of the OpenAPI document is held before each wait for
 * the store or the accounts. The caller loses the right, and the write goes on: it is refused and changes nothing.
 */
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { EmbeddedAccounts } from '../../src/auth/embedded-accounts.ts'
import type { LanguageRights } from '../../src/auth/rights.ts'
import { Store } from '../../src/store/store.ts'
import { eventually } from '../eventually.ts'
import { isError, openScene, type Reply, type Scene, type Sending, type Session } from '../http/server.ts'
import { newFolder } from '../new-folder.ts'
import { furnish, isOwnWrite, NAMES, type Route, routesOf, send, stateOf, WRITES } from './routes.ts'

/** Runs a function at each wait of a request: a write of the store, a change of refs, or a write of the accounts. */
class Waits {
  /** What runs before the n-th wait goes on. Its own requests do not wait. */
  during: ((n: number) => Promise<unknown>) | undefined
  #n = 0

  constructor(t: Test) {
    const waiting = [
      [Store.prototype, ['write', 'changeRefs']],
      [EmbeddedAccounts.prototype, ['change']],
    ] as const
    for (const [prototype, names] of waiting) {
      for (const name of names) {
        const own = (prototype as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>)[name]!
        const pass = () => this.#pass()
        const held = async function (this: unknown, ...given: unknown[]) {
          await pass()
          return own.apply(this, given)
        }
        Object.assign(prototype, { [name]: held })
        t.teardown(() => Object.assign(prototype, { [name]: own }))
      }
    }
  }

  /** The answer of a request. Its waits run the function. */
  async through(during: (n: number) => Promise<unknown>, ask: () => Promise<Reply>): Promise<Reply> {
    this.#n = 0
    this.during = during
    const reply = await ask()
    this.during = undefined
    return reply
  }

  async #pass(): Promise<void> {
    const { during } = this
    if (during === undefined) return
    this.during = undefined
    await during(this.#n++)
    this.during = during
  }
}

/** A caller with the right to write, and how it is lost. */
interface Withdrawal {
  name: string
  /** The roles of the routes that this withdraws the right of. */
  concerns: (route: Route) => boolean
  caller: () => Promise<Sending>
  withdraw: (caller: Sending) => Promise<unknown>
}

/** Routes that change no text: rights by language do not narrow them. */
const isOfTexts = ({ template }: Route) =>
  template.startsWith('/api/projects/{slug}/') && !template.includes('/comments/') && !template.endsWith('/suggest')

const leastOf = ({ method, template }: Route) => WRITES[`${method} ${template}`]!.least

function withdrawals({ server, acme }: Scene): Withdrawal[] {
  let people = 0
  const join = (route: 'member' | 'admin') => server.join(acme, `P${people++}`, route)
  const narrowed = (name: string, rights: LanguageRights): Withdrawal => ({
    name: `a member narrowed ${name}`,
    concerns: route => isOfTexts(route) && leastOf(route) === 'member',
    caller: async () => ({ as: await join('member') }),
    withdraw: ({ as }) => server.narrow(acme, as!, rights),
  })
  const organize = async (act: string, member: Session, more: object) =>
    server.must('POST', `/api/auth/organization/${act}`, {
      as: acme.owner,
      body: {
        memberIdOrEmail: await server.membership(acme, member),
        memberId: await server.membership(acme, member),
        ...more,
      },
    })
  const of = (least: 'member' | 'admin') => (route: Route) => leastOf(route) === least
  return [
    narrowed('to reading', [{ languages: ['*'], may: 'read' }]),
    narrowed('to another project', [{ projects: ['elsewhere'], languages: ['*'], may: 'review' }]),
    narrowed('to another language', [{ languages: ['pt'], may: 'review' }]),
    {
      name: 'an admin who becomes a member',
      concerns: of('admin'),
      caller: async () => ({ as: await join('admin') }),
      withdraw: ({ as }) => organize('update-member-role', as!, { role: 'member' }),
    },
    ...(['member', 'admin'] as const).map(role => ({
      name: `a removed ${role}`,
      concerns: of(role),
      caller: async () => ({ as: await join(role) }),
      withdraw: ({ as }: Sending) => organize('remove-member', as!, {}),
    })),
    ...(['member', 'admin'] as const).map(role => ({
      name: `a signed-out ${role}`,
      concerns: of(role),
      caller: async () => ({ as: await join(role) }),
      withdraw: ({ as }: Sending) => {
        const copy = Object.assign(Object.create(Object.getPrototypeOf(as!)), as!, { cookies: new Map(as!.cookies) })
        return server.must('POST', '/api/auth/sign-out', { as: copy, body: {} })
      },
    })),
    {
      name: 'a revoked token',
      concerns: route => route.token,
      caller: async () => ({ key: (await server.mint(acme.owner, 'revoked')).key }),
      withdraw: async () => {
        const { tokens } = (await server.must('GET', '/api/tokens', { as: acme.owner })).json
        const { id } = tokens.find(({ name }: { name: string }) => name === 'revoked')
        return server.must('DELETE', `/api/tokens/${id}`, { as: acme.owner })
      },
    },
  ]
}

/** Requests of the silent machine. */
let asked = 0

/** A machine that never answers, so that its jobs go on. */
async function silentMachine(t: Test): Promise<string> {
  const silent = createServer(() => void asked++)
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => silent.close().closeAllConnections())
  const file = join(newFolder(t, { list: '[]' }), 'list')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  writeFileSync(file, JSON.stringify([{ name: 'silent', kind: 'libretranslate', url }]))
  chmodSync(file, 0o600)
  return file
}

/** Routes without a wait before their change. */
const NO_WAIT = [
  // It asks a machine, and writes nothing.
  'POST /api/projects/{slug}/suggest',
  // The token is off in memory before the accounts store it.
  'DELETE /api/tokens/{id}',
]
/** `all`: each kind of withdrawal for each route, and not two of them in turn. */
const { RIGHTS } = process.env
const PROJECT = `/api/projects/${NAMES.slug}`

/** The scene before a route. @returns the route with the ids of present objects in it */
async function prepare({ server, acme }: Scene, route: Route): Promise<Route> {
  const { key, owner } = acme
  await furnish(server, key)
  const must = async (path: string, sending: Sending) => (await server.must('POST', path, sending)).json
  const withId = (id: string) => ({ ...route, path: route.path.replace(/unknown(?=$|\/rights$)/, id) })
  const { template } = route
  if (/suggestions\/(accept|reject)$/.test(template)) {
    const { suggestion } = await must(`${PROJECT}/suggestions/de/common/b`, { key, body: { value: 'besser' } })
    return { ...route, body: { language: 'de', ids: [suggestion.id] } }
  }
  if (template.endsWith('/jobs/{id}')) {
    const before = asked
    const { job } = await must(`${PROJECT}/translate`, { key, body: { languages: ['de'] } })
    // From then on the job waits.
    if (!(await eventually(() => asked > before))) throw new Error('The machine was not asked.')
    return withId(job)
  }
  if (template === '/api/tokens/{id}') return withId((await server.mint(owner, 'goes')).id)
  if (template === '/api/members/{id}/rights') {
    return withId(await server.membership(acme, await server.join(acme, 'Target', 'member')))
  }
  return route
}

/** A comment belongs to its author. */
async function withOwnComment({ server }: Scene, route: Route, caller: Sending): Promise<Route> {
  if (!route.template.endsWith('/comments/{namespace}/{key}/{id}')) return route
  const { id } = (await server.must('POST', `${PROJECT}/comments/common/a`, { ...caller, body: { text: 'x' } })).json
  return { ...route, path: route.path.replace(NAMES.id, id) }
}

/** Ends the jobs that a test has started. */
async function endJobs({ server, acme: { key } }: Scene): Promise<void> {
  const { jobs = [] } = (await server.get(`${PROJECT}/jobs`, key)).json
  for (const { id, endedAt } of jobs) {
    if (endedAt === null) await server.must('DELETE', `${PROJECT}/jobs/${id}`, { key })
  }
}

t.test('refuses each write when its right is withdrawn while it waits', async t => {
  const scene = await openScene(t, { MACHINES_FILE: await silentMachine(t) })
  const { server, acme } = scene
  await server.project(acme.key, 'elsewhere')
  const waits = new Waits(t)
  const state = async () => JSON.stringify(await stateOf(scene))
  const kinds = withdrawals(scene)
  let turn = 0
  for (const described of await routesOf(server)) {
    const what = `${described.method} ${described.template}`
    if (!isOwnWrite(described) || NO_WAIT.includes(what)) continue
    const writer: Sending = described.cookie ? { as: acme.owner } : { key: acme.key }
    let route = await prepare(scene, described)
    const own = await withOwnComment(scene, route, writer)
    const before = await state()
    /** Waits of the write before it changes anything. */
    let early = 0
    const reply = await waits.through(
      async () => {
        if ((await state()) === before) early++
      },
      () => send(server, own, writer),
    )
    t.ok(reply.status < 300, `${what} is possible: ${reply.status} ${reply.text.slice(0, 200)}`)
    t.not(await state(), before, `${what} changes something`)
    t.ok(early > 0, `${what} waits`)
    await endJobs(scene)
    route = await prepare(scene, described)
    const losses = kinds.filter(({ concerns }) => concerns(described))
    const tried = RIGHTS === 'all' ? losses : [0, 1].map(() => losses[turn++ % losses.length]!)
    for (const { name, caller, withdraw } of new Set(tried)) {
      for (let held = 0; held < early; held++) {
        const who = await caller()
        const sent = await withOwnComment(scene, route, who)
        let then = ''
        const refused = await waits.through(
          async n => {
            if (n !== held) return
            await withdraw(who)
            then = await state()
          },
          () => send(server, sent, who),
        )
        const about = `${what}, ${name}, at wait ${held}`
        // A slow machine lets a write run twice. Without the second run it was written.
        if (then === '' && held > 0) {
          route = await prepare(scene, described)
          break
        }
        t.ok(then !== '', `${about}: it waited`)
        isError(t, refused, [401, 403], about)
        t.equal(await state(), then, `${about}: nothing is changed`)
      }
    }
    await endJobs(scene)
  }
})
