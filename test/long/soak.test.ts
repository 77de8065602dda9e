/**
 * Many clients of every kind at once, for a while: nothing is answered that was not asked for, nothing is lost, nothing
 * grows, and in the end all agree. `SOAK=600 npm test -- test/long/soak.test.ts` does it for that many seconds.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { eventually, type Organization } from '../contract/server.ts'
import { must, noGit } from '../http/git-client.ts'
import { commitsOf, disagreements } from './agreement.ts'
import { type BuiltServer, noProc, startBuilt } from './built-server.ts'
import { Client, type Credential } from './client.ts'
import { growth, median } from './growth.ts'
import { Lane, PROJECT, SHARED } from './lanes.ts'
import { Editor, editTogether } from './outside.ts'

const SECONDS = Number(process.env.SOAK ?? 4)
const ORGANIZATIONS = 3
const LANES = 57
const CLONERS = 3
const EDITORS = 4
const SAMPLES = 24
/** The share of the time after which everything has been done often enough to be in memory. */
const WARM = 1 / 4
const MB = 2 ** 20
/** What may stay alive of a request, in bytes: the smallest leak that matters is an object and its text for each. */
const KEPT_PER_REQUEST = 100
/**
 * What caches of a size of their own, and code that is compiled late, may grow by beside that, in bytes. A busy machine
 * does not fill them within the warm share of a short run.
 */
const ONCE = (SECONDS >= 120 ? 8 : 16) * MB
/** Code is compiled and tables grow for half a minute. */
const RESIDENT_GROWTH = SECONDS >= 120 ? 0.15 : 0.6

t.setTimeout((SECONDS + 240) * 1000)

async function furnish(server: BuiltServer): Promise<Organization[]> {
  const organizations: Organization[] = []
  for (let n = 0; n < ORGANIZATIONS; n++) {
    const organization = await server.organization(`Ann${n}`)
    await server.project(organization.key, 'web')
    for (const language of ['en', 'de', 'fr']) {
      for (const namespace of SHARED) {
        const path = `${PROJECT}/bundles/${language}/${namespace}/first`
        await server.must('PUT', path, { key: organization.key, body: { value: 'First' } })
      }
    }
    organizations.push(organization)
  }
  return organizations
}
/** Commits of {@link furnish}: the project and its bundles. */
const FURNISHED = 1 + 3 * SHARED.length

/** All load until `going` returns false. Resolves when the last request has ended. */
class Crowd {
  readonly lanes: Lane[] = []
  readonly editors: Editor[] = []
  readonly clients: Client[] = []
  clones = 0
  fetches = 0
  #going = true
  readonly #server: BuiltServer
  readonly #organizations: Organization[]
  readonly #folder: string
  readonly #running: Promise<void>[] = []

  constructor(server: BuiltServer, organizations: Organization[], folder: string) {
    this.#server = server
    this.#organizations = organizations
    this.#folder = folder
    for (let n = 0; n < LANES; n++) {
      const organization = this.#organization(n)
      // Every eighth is a person with a cookie.
      const client = this.#client(n % 8 === 7 ? { as: organization.owner } : organization)
      const lane = new Lane(n, organization, client)
      this.lanes.push(lane)
      this.#repeat(client, () => lane.step(), 20)
    }
    for (let n = 0; n < EDITORS - 1; n++) {
      const organization = this.#organization(n)
      const client = this.#client(organization)
      const editor = new Editor(n, server, organization, client)
      this.editors.push(editor)
      this.#repeat(client, () => editor.step(), 100)
    }
    let serial = 0
    const together = async () => editTogether(server, this.#organization(0), 'de/shared0', serial++)
    this.#repeat(this.#client(this.#organization(0)), together, 700)
    for (let n = 0; n < CLONERS; n++) {
      const client = this.#client(this.#organization(n))
      this.#repeat(client, () => this.#clone(n, client), 300)
    }
  }

  get surprises(): string[] {
    return this.clients.flatMap(({ surprises }) => surprises)
  }

  get requests(): number {
    return this.clients.reduce((sum, { requests }) => sum + requests, 0)
  }

  async stop(): Promise<void> {
    this.#going = false
    await Promise.all(this.#running)
  }

  #organization(n: number): Organization {
    return this.#organizations[n % ORGANIZATIONS]!
  }

  #client({ ...credential }: Credential): Client {
    const only = 'as' in credential ? { as: credential.as } : { key: credential.key }
    const client = new Client(this.#server, only)
    this.clients.push(client)
    return client
  }

  #repeat(client: Client, step: () => Promise<void>, rest: number): void {
    const run = async () => {
      while (this.#going) {
        await step().catch(error => client.surprises.push(String(error?.stack ?? error)))
        await pause(rest)
      }
    }
    this.#running.push(run())
  }

  /** A clone, some fetches into it, and a new one. */
  async #clone(n: number, client: Client): Promise<void> {
    const clone = join(this.#folder, `follower${n}`)
    const { key } = this.#organization(n)
    const url = `${this.#server.base.replace('http://', `http://x:${key}@`)}/api/translations.git`
    const round = (this.clones + this.fetches) % 5
    const known = this.#cloned.has(n)
    try {
      if (known && round !== 0) {
        await must(['-C', clone, 'pull', '-q', '--ff-only'])
        this.fetches++
        return
      }
      rmSync(clone, { recursive: true, force: true })
      await must(['clone', '-q', ...(round === 1 ? ['--filter=blob:none'] : []), url, clone])
      this.#cloned.add(n)
      this.clones++
    } catch (error) {
      // A release that was deleted between the two questions of a fetch; any git server would say so.
      if (!/no such remote ref refs\/tags\//.test(String(error))) client.surprises.push(String(error))
    }
  }

  readonly #cloned = new Set<number>()
}

/** Lets the crowd go on for a while, looking at the server now and then. */
async function watch(server: BuiltServer, crowd: Crowd) {
  await pause(SECONDS * 1000 * WARM)
  const before = crowd.requests
  const live: number[] = []
  const resident: number[] = []
  for (let n = 0; n < SAMPLES; n++) {
    await pause((SECONDS * 1000 * (1 - WARM)) / SAMPLES)
    live.push(await server.live())
    resident.push(server.resident)
  }
  return { live, resident, requests: crowd.requests - before }
}

const inMb = (bytes: number[]) => bytes.map(value => (value / MB).toFixed(1)).join(' ')

t.test('loses nothing and does not grow with 64 clients of every kind', { skip: noGit || noProc }, async (t: Test) => {
  const folder = t.testdir()
  // Small caches are full after the warming up, so that what grows afterwards is no cache.
  const server = await startBuilt(t, join(folder, 'data'), { CACHE_BYTES: '4MiB' })
  const organizations = await furnish(server)
  const before = server.descriptors()

  const crowd = new Crowd(server, organizations, folder)
  const { live, resident, requests } = await watch(server, crowd)
  const busy = server.descriptors()
  await crowd.stop()
  for (const lane of crowd.lanes) await lane.check()
  for (const client of crowd.clients) client.close()
  t.strictSame(crowd.surprises.slice(0, 20), [], 'nothing that was not asked for')
  const others = () => {
    const { sockets, others } = server.descriptors()
    return sockets + others
  }
  const start = before.sockets + before.others
  t.ok(await eventually(() => others() <= start), `${others()} descriptors beside packs, ${start} at the start`)

  for (const organization of organizations) {
    const repository = server.repository(organization.id)
    const lanes = crowd.lanes.filter(lane => lane.organization === organization)
    const editors = crowd.editors.filter(editor => editor.organization === organization)
    const written = FURNISHED + lanes.reduce((sum, { commits }) => sum + commits, 0)
    const edited = editors.reduce((sum, { adopted }) => sum + adopted, 0)
    let found: string[] = []
    const agreed = await eventually(
      async () => (found = await disagreements(server, organization, folder)).length === 0,
    )
    t.ok(agreed, `API, HEAD, work tree and clone of ${organization.slug} agree: ${found.slice(0, 10).join('\n')}`)
    const { all, outside } = commitsOf(repository)
    t.equal(all - outside, written, `${organization.slug}: a commit for each acknowledged write, ${written}`)
    if (organization === organizations[0]) t.ok(outside >= edited, `${outside} external edits, ${edited} of them alone`)
    else t.equal(outside, edited, `${organization.slug}: a commit for each external edit, ${edited}`)
  }
  t.comment(
    `${SECONDS} s: ${crowd.requests} requests, ${crowd.clones} clones, ${crowd.fetches} fetches, ` +
      `${crowd.editors.reduce((sum, { adopted }) => sum + adopted, 0)} outside edits`,
  )
  t.comment(`live MB: ${inMb(live)}`)
  t.comment(`resident MB: ${inMb(resident)}`)
  const kept = growth(live) * median(live)
  t.comment(`growth: live ${kept.toFixed(0)} bytes in ${requests} requests, resident ${growth(resident).toFixed(3)}`)
  t.ok(kept < ONCE + KEPT_PER_REQUEST * requests, `${kept.toFixed(0)} bytes more are alive after ${requests} requests`)
  t.ok(growth(resident) < RESIDENT_GROWTH, `resident memory grows by ${(growth(resident) * 100).toFixed(0)} %`)
  t.comment(`descriptors: ${JSON.stringify({ before, busy, after: server.descriptors() })}`)
  server.signal('SIGTERM')
  t.strictSame(await server.exit, { code: 0, signal: null })
})
