/** Three PostgreSQL of a cluster: a primary and two standbys. One standby must have a commit before its answer. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chownSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { binaries, owner } from '../../cluster/postgres.ts'
import { eventually } from '../../eventually.ts'
import { childrenOf, type Machine, type Network } from './network.ts'

const run = promisify(execFile)

const ENGINES = 3

/** One of the three. */
interface Engine {
  machine: Machine
  folder: string
  process: ChildProcess | undefined
}

/** See the top of the file. */
export class Engines {
  readonly #network: Network
  readonly #folder: string
  /** What a program of PostgreSQL's begins with: it refuses to run as root. */
  readonly #as: readonly string[]
  readonly #owner: { uid?: number; gid?: number }
  readonly #engines: Engine[] = []

  private constructor(network: Network, folder: string, user: { uid?: number; gid?: number }) {
    this.#network = network
    this.#folder = folder
    this.#owner = user
    const { uid, gid } = user
    this.#as = uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  }

  /** Creates and starts them, with a database `parlance` of a user of that name. */
  static async start(network: Network): Promise<Engines> {
    const folder = mkdtempSync(join(tmpdir(), 'parlance-engines-'))
    const engines = new Engines(network, folder, await owner())
    engines.#own(folder)
    for (let at = 0; at < ENGINES; at++) {
      const name = `pg${at + 1}`
      engines.#engines.push({ machine: await network.machine(name), folder: join(folder, name), process: undefined })
    }
    const [primary, ...standbys] = engines.#engines as [Engine, ...Engine[]]
    const trusting = ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-locale', '--no-sync']
    await engines.#program('initdb', '-D', primary.folder, ...trusting)
    engines.#configure(primary)
    // A folder at rest is as good as what pg_basebackup copies.
    for (const standby of standbys) engines.#copy(primary, standby)
    for (const engine of engines.#engines) engines.#run(engine)
    await engines.#ready(primary)
    await engines.ask("create role parlance login password 'of the test'", 'postgres')
    await engines.ask('grant pg_monitor to parlance', 'postgres')
    await engines.ask('create database parlance owner parlance', 'postgres')
    return engines
  }

  /** What `CLUSTER` is to be. */
  get url(): string {
    const { postgres: port } = this.#network.ports
    const hosts = this.#engines.map(({ machine }) => `${machine.address}:${port}`)
    return `postgres://parlance:of%20the%20test@${hosts.join(',')}/parlance`
  }

  get machines(): Machine[] {
    return this.#engines.map(({ machine }) => machine)
  }

  /** Rows of what the primary answers, members parted by `|`. */
  async ask(sql: string, database = 'parlance'): Promise<string[]> {
    const hosts = this.#engines.map(({ machine }) => machine.address).join(',')
    const target = `host=${hosts} port=${this.#network.ports.postgres} user=postgres dbname=${database} connect_timeout=2`
    const argv = ['-X', '-At', '-v', 'ON_ERROR_STOP=1', '-d', `${target} target_session_attrs=read-write`, '-c', sql]
    const { stdout } = await run(join(binaries()!, 'psql'), argv)
    return stdout.split('\n').filter(Boolean)
  }

  /** Kills the primary with all its processes at once, as when its machine loses power. @returns it */
  async killPrimary(): Promise<Engine> {
    const primary = await this.#primary()
    await this.#kill(primary)
    return primary
  }

  /**
   * Promotes the most advanced standby, as a supervisor would.
   * @returns the milliseconds of the promotion
   */
  async promote(): Promise<number> {
    const running = this.#engines.filter(({ process }) => process !== undefined)
    const received = await Promise.all(
      running.map(async engine => {
        const [bytes = ''] = await this.#askOne(engine, "select pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')")
        return { engine, bytes: BigInt(bytes) }
      }),
    )
    const best = received.reduce((one, other) => (other.bytes > one.bytes ? other : one)).engine
    const from = performance.now()
    await this.#askOne(best, 'select pg_promote()')
    return performance.now() - from
  }

  /** Brings one that was killed back as a standby of what is the primary now. */
  async rejoin(engine: Engine): Promise<void> {
    const primary = await this.#primary()
    rmSync(engine.folder, { recursive: true })
    const from = ['-h', primary.machine.address, '-p', String(this.#network.ports.postgres), '-U', 'postgres']
    await this.#program('pg_basebackup', ...from, '-D', engine.folder, '-c', 'fast', '--no-sync')
    this.#follow(engine)
    this.#run(engine)
    const sql = `select 1 from pg_stat_replication where state = 'streaming' and application_name = '${engine.machine.name}'`
    const follows = async () => (await this.#askOne(primary, sql)).length > 0
    if (!(await eventually(follows))) throw new Error(`${engine.machine.name} does not follow`)
  }

  /** Stops all three without ending them: what asks them hears nothing. @returns what lets them go on */
  freeze(): () => void {
    const all = this.#engines.flatMap(({ process }) =>
      process === undefined ? [] : [process.pid!, ...childrenOf(process.pid!)],
    )
    for (const pid of all) signal(pid, 'SIGSTOP')
    return () => {
      for (const pid of all) signal(pid, 'SIGCONT')
    }
  }

  /** Ends all of them, each at once, and throws away what they had. */
  async close(): Promise<void> {
    await Promise.all(this.#engines.map(engine => this.#kill(engine)))
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #configure(engine: Engine): void {
    const names = this.#engines.map(({ machine }) => machine.name)
    const hosts = this.#engines.map(({ machine }) => machine.address).join(',')
    const settings = {
      listen_addresses: '*',
      port: this.#network.ports.postgres,
      unix_socket_directories: '',
      shared_buffers: '32MB',
      // Each commit waits for one of the standbys, whichever is the primary.
      synchronous_standby_names: `ANY 1 (${names.join(', ')})`,
      primary_conninfo: `host=${hosts} port=${this.#network.ports.postgres} user=postgres connect_timeout=1 target_session_attrs=read-write`,
      wal_retrieve_retry_interval: '200ms',
      wal_sender_timeout: '3s',
      wal_receiver_timeout: '3s',
      wal_keep_size: '256MB',
      log_min_messages: 'fatal',
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
    appendFileSync(join(engine.folder, 'postgresql.conf'), lines.join(''))
    writeFileSync(join(engine.folder, 'pg_hba.conf'), 'host all all all trust\nhost replication all all trust\n')
    this.#name(engine)
  }

  /** By its name a standby is known to the primary. */
  #name({ folder, machine }: Engine): void {
    appendFileSync(join(folder, 'postgresql.conf'), `cluster_name = '${machine.name}'\n`)
  }

  #copy(from: Engine, to: Engine): void {
    const [program = '', ...argv] = [...this.#as, 'cp', '-a', from.folder, to.folder]
    execFileSync(program, argv)
    this.#follow(to)
  }

  #follow(engine: Engine): void {
    const signal = join(engine.folder, 'standby.signal')
    writeFileSync(signal, '')
    this.#own(signal)
    this.#name(engine)
  }

  #run(engine: Engine): void {
    // What ends it with this process is lost when it becomes another user.
    const as = this.#as.length > 0 ? [...this.#as, '--pdeathsig', 'KILL'] : []
    const command = [...engine.machine.under, ...as, join(binaries()!, 'postgres'), '-D', engine.folder]
    const log = openSync(`${engine.folder}.log`, 'a')
    const [program = '', ...argv] = command
    engine.process = spawn(program, argv, { cwd: this.#folder, stdio: ['ignore', 'ignore', log] })
    closeSync(log)
  }

  async #program(name: string, ...args: string[]): Promise<void> {
    const [program = '', ...argv] = [...this.#as, join(binaries()!, name), ...args]
    await run(program, argv, { cwd: this.#folder })
  }

  #own(path: string): void {
    if (this.#owner.uid !== undefined) chownSync(path, this.#owner.uid, this.#owner.gid!)
  }

  async #ready(engine: Engine): Promise<void> {
    const answers = () => this.#askOne(engine, 'select 1').then(Boolean, () => false)
    if (!(await eventually(answers))) throw new Error(`${engine.machine.name} does not start`)
  }

  async #askOne({ machine }: Engine, sql: string): Promise<string[]> {
    const target = `host=${machine.address} port=${this.#network.ports.postgres} user=postgres dbname=postgres connect_timeout=2`
    const { stdout } = await run(join(binaries()!, 'psql'), ['-X', '-At', '-d', target, '-c', sql])
    return stdout.split('\n').filter(Boolean)
  }

  async #primary(): Promise<Engine> {
    for (const engine of this.#engines.filter(({ process }) => process !== undefined)) {
      if ((await this.#askOne(engine, 'select pg_is_in_recovery()'))[0] === 'f') return engine
    }
    throw new Error('there is no primary')
  }

  async #kill(engine: Engine): Promise<void> {
    const { process } = engine
    if (process === undefined) return
    engine.process = undefined
    const exit = new Promise(resolve => process.once('exit', resolve))
    // It first, so that it starts no others; they would end by themselves, a moment too late for an honest test.
    signal(process.pid!, 'SIGSTOP')
    for (const pid of [...childrenOf(process.pid!), process.pid!]) signal(pid, 'SIGKILL')
    await exit
  }
}

/** Some processes end by themselves meanwhile. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {}
}
