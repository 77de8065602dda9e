/**
 * Three PostgreSQL under Patroni, each with an etcd, as Debian installs them. Patroni replaces and restarts dead ones
 * without this file.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { binaries, owner } from '../../cluster/postgres.ts'
import { eventually } from '../../eventually.ts'
import { signal } from './engines.ts'
import { childrenOf, type Machine, type Network } from './network.ts'

const run = promisify(execFile)

const MACHINES = 3
const [ETCD, PEERS, REST] = [2379, 2380, 8008]
const PROGRAMS = { etcd: '/usr/bin/etcd', patroni: '/usr/bin/patroni' }
/** A crowded machine's disk is slow: an etcd that waits for it is not to lose its place at once. Milliseconds. */
const ETCD_PACE = ['--heartbeat-interval', '300', '--election-timeout', '3000', '--enable-v2']

/** Why tests with Patroni are left out here; false where they run. */
export const noPatroni = (): string | false =>
  !Object.values(PROGRAMS).every(path => existsSync(path)) &&
  'there is no Patroni or no etcd: apt-get install patroni etcd-server python3-etcd'

/** Times of Patroni in seconds, with the names of its documentation. */
export interface Timing {
  ttl: number
  loop_wait: number
  retry_timeout: number
}

/** A member in an answer of Patroni. */
interface Member {
  name: string
  role: string
  state: string
  timeline?: number
}

/** One of the machines, and what runs there. */
export interface Host {
  machine: Machine
  folder: string
  etcd: ChildProcess | undefined
  patroni: ChildProcess | undefined
}

/** See the top of the file. */
export class Patroni {
  readonly #network: Network
  readonly #folder: string
  readonly #hosts: Host[] = []
  readonly #user: { uid?: number; gid?: number }
  #reaper: ChildProcess | undefined

  private constructor(network: Network, folder: string, user: { uid?: number; gid?: number }) {
    this.#network = network
    this.#folder = folder
    this.#user = user
  }

  /**
   * Creates and starts them, with a database `parlance` of a user of that name. No standby is synchronous before
   * {@link configure} says so, as it is with Patroni.
   */
  static async start(network: Network, timing: Timing): Promise<Patroni> {
    const folder = mkdtempSync(join(tmpdir(), 'parlance-patroni-'))
    chmodSync(folder, 0o755)
    const patroni = new Patroni(network, folder, await owner())
    for (let at = 0; at < MACHINES; at++) {
      const machine = await network.machine(`pg${at + 1}`)
      const host = { machine, folder: join(folder, machine.name), etcd: undefined, patroni: undefined }
      mkdirSync(host.folder)
      patroni.#own(host.folder)
      patroni.#hosts.push(host)
    }
    patroni.#reap()
    try {
      for (const host of patroni.#hosts) patroni.#configureHost(host, timing)
      for (const host of patroni.#hosts) patroni.startAll(host)
      if (!(await patroni.settles(120_000, 0))) throw new Error(`Patroni does not start: ${patroni.log()}`)
      await patroni.run("create role parlance login password 'of the test'", 'postgres')
      await patroni.run('grant pg_monitor to parlance', 'postgres')
      await patroni.run('create database parlance owner parlance', 'postgres')
    } catch (error) {
      await patroni.close()
      throw error
    }
    return patroni
  }

  /** What `CLUSTER` is to be. */
  get url(): string {
    const hosts = this.#hosts.map(({ machine }) => `${machine.address}:${this.#network.ports.postgres}`)
    return `postgres://parlance:of%20the%20test@${hosts.join(',')}/parlance`
  }

  get hosts(): readonly Host[] {
    return this.#hosts
  }

  /** Changes the settings that all members have in common. */
  async configure(settings: object): Promise<void> {
    // Who has been the leader a moment ago may be starting again.
    const isSet = () =>
      this.having('leader')
        .then(({ machine }) => {
          const asked = { method: 'PATCH', body: JSON.stringify(settings), signal: AbortSignal.timeout(2000) }
          return fetch(`http://${machine.address}:${REST}/config`, asked)
        })
        .then(
          ({ ok }) => ok,
          () => false,
        )
    if (!(await eventually(isSet))) throw new Error(`Patroni refuses its settings: ${this.log()}`)
  }

  /** Runs a statement at the primary. */
  async run(sql: string, database = 'parlance'): Promise<void> {
    const { machine } = await this.having('leader')
    const target = `host=${machine.address} port=${this.#network.ports.postgres} user=postgres dbname=${database}`
    await run(join(binaries()!, 'psql'), ['-X', '-q', '-d', target, '-c', sql])
  }

  /** The machine of the primary, or of the standby that has each commit. @throws Error while there is none */
  async having(role: 'leader' | 'sync_standby'): Promise<Host> {
    const name = (await this.#members()).find(member => member.role === role)?.name
    const found = this.#hosts.find(({ machine }) => machine.name === name)
    if (found === undefined) throw new Error(`no PostgreSQL is ${role}`)
    return found
  }

  /**
   * Waits until all others follow one primary, `synchronous` of them synchronously, and
   * each Patroni agrees. The others still report the former state of a missing member.
   */
  settles(milliseconds: number, synchronous = 1): Promise<boolean> {
    const isSettled = (members: Member[]) => {
      const [leader] = members.filter(({ role }) => role === 'leader')
      const isRight = ({ state, timeline }: Member) => /running|streaming/.test(state) && timeline === leader?.timeline
      const standbys = members.filter(({ role }) => role === 'sync_standby')
      return members.length === MACHINES && standbys.length === synchronous && members.every(isRight)
    }
    const said = () => Promise.all(this.#hosts.map(host => this.#saidBy(host)))
    return eventually(async () => (await said()).every(isSettled), milliseconds)
  }

  /** Kills PostgreSQL with all its processes at once; Patroni, when it is there, starts it again. */
  killPostgres({ folder }: Host): void {
    let first = ''
    try {
      first = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0] ?? ''
    } catch {}
    const pid = Number(first)
    if (!(pid > 1) || !isPostgres(pid)) return
    signal(pid, 'SIGSTOP')
    for (const each of [...childrenOf(pid), pid]) signal(each, 'SIGKILL')
  }

  /** Kills Patroni only: its primary continues without supervision. */
  async killPatroni(host: Host): Promise<void> {
    const { patroni } = host
    host.patroni = undefined
    await killed(patroni)
  }

  /** Kills all that runs on a machine, as when it loses power. */
  async killAll(host: Host): Promise<void> {
    if (host.patroni?.pid !== undefined) signal(host.patroni.pid, 'SIGSTOP')
    this.killPostgres(host)
    const { etcd } = host
    host.etcd = undefined
    await Promise.all([killed(etcd), this.killPatroni(host)])
  }

  /** Starts what does not run on a machine, but for PostgreSQL, which Patroni starts. */
  startAll(host: Host): void {
    host.etcd ??= this.#spawn(host, PROGRAMS.etcd, ...this.#etcdOptions(host))
    host.patroni ??= this.#spawn(host, PROGRAMS.patroni, join(host.folder, 'patroni.json'))
  }

  /** The last of what each Patroni said. */
  log(): string {
    const tail = ({ folder }: Host) => readFileSync(`${folder}/patroni.log`, 'utf8').split('\n').slice(-15).join('\n')
    return this.#hosts.map(tail).join('\n\n')
  }

  /** Ends all of them, each at once, and throws away what they had. */
  async close(): Promise<void> {
    await Promise.all(this.#hosts.map(host => this.killAll(host)))
    // Patroni may have been about to start one.
    for (const host of this.#hosts) this.killPostgres(host)
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
    this.#reaper?.stdin?.end()
  }

  /**
   * What outlives this process, however it ends, and kills each PostgreSQL: Patroni lets its own live on without
   * itself.
   */
  #reap(): void {
    const each = 'if grep -qx postgres /proc/$pid/comm; then kill -9 $pid; fi'
    const script = `cat; sleep 1; for pid in $(head -qn1 "$0"/*/data/postmaster.pid); do ${each}; done; rm -rf "$0"`
    const options = { stdio: ['pipe', 'ignore', 'ignore'] as ['pipe', 'ignore', 'ignore'], detached: true }
    this.#reaper = spawn('sh', ['-c', script, this.#folder], options)
  }

  /** The members by the first Patroni that answers, empty without an answer. */
  async #members(): Promise<Member[]> {
    for (const host of this.#hosts) {
      const members = await this.#saidBy(host)
      if (members.length > 0) return members
    }
    return []
  }

  /** The members by one Patroni, empty without an answer. */
  async #saidBy({ machine, patroni }: Host): Promise<Member[]> {
    if (patroni === undefined) return []
    try {
      const asked = await fetch(`http://${machine.address}:${REST}/cluster`, { signal: AbortSignal.timeout(2000) })
      return ((await asked.json()) as { members: Member[] }).members
    } catch {
      return []
    }
  }

  #configureHost({ folder, machine: { name, address } }: Host, timing: Timing): void {
    const postgres = `${address}:${this.#network.ports.postgres}`
    const parameters = { shared_buffers: '32MB', unix_socket_directories: '', wal_keep_size: '256MB' }
    const settings = {
      scope: 'parlance',
      name,
      restapi: { listen: `${address}:${REST}`, connect_address: `${address}:${REST}` },
      // The older API: with it Patroni 3.0 reads the leader before it registers itself.
      etcd: { hosts: this.#hosts.map(({ machine }) => `${machine.address}:${ETCD}`) },
      bootstrap: {
        dcs: { ...timing, postgresql: { use_pg_rewind: true, parameters } },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, { auth: 'trust' }],
        pg_hba: ['host all all all trust', 'host replication all all trust'],
      },
      postgresql: {
        listen: postgres,
        connect_address: postgres,
        data_dir: join(folder, 'data'),
        bin_dir: binaries(),
        pgpass: join(folder, 'pgpass'),
        authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
      },
    }
    // What is JSON is YAML.
    writeFileSync(join(folder, 'patroni.json'), JSON.stringify(settings, null, 2))
  }

  #etcdOptions({ folder, machine: { name, address } }: Host): string[] {
    const [clients, peers] = [`http://${address}:${ETCD}`, `http://${address}:${PEERS}`]
    const all = this.#hosts.map(({ machine }) => `${machine.name}=http://${machine.address}:${PEERS}`)
    const listens = ['--listen-client-urls', clients, '--advertise-client-urls', clients, '--listen-peer-urls', peers]
    const members = ['--initial-advertise-peer-urls', peers, '--initial-cluster', all.join(',')]
    return ['--name', name, '--data-dir', join(folder, 'etcd'), ...listens, ...members, ...ETCD_PACE]
  }

  #spawn({ folder, machine }: Host, path: string, ...options: string[]): ChildProcess {
    const log = openSync(join(folder, `${path.split('/').at(-1)}.log`), 'a')
    const { uid, gid } = this.#user
    const as =
      uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--pdeathsig=KILL']
    const [program = '', ...argv] = [...machine.under, ...as, path, ...options]
    // Patroni runs on Python. Other settings of Python could hide its modules.
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder, LC_ALL: 'C.UTF-8' }
    const child = spawn(program, argv, { cwd: folder, env, stdio: ['ignore', log, log] })
    closeSync(log)
    return child
  }

  #own(path: string): void {
    chmodSync(path, 0o700)
    if (this.#user.uid !== undefined) chownSync(path, this.#user.uid, this.#user.gid!)
  }
}

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise(resolve => child.once('exit', resolve))
  signal(child.pid!, 'SIGKILL')
  await exit
}

/** Its file of a process may be left from one that was killed long ago. */
function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'
  } catch {
    return false
  }
}
