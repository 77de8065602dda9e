/**
 * Machines with different addresses. If this user may create network namespaces (root on Linux), each has one on a
 * switch. Its links can be slowed, or cut as by a broken cable: packets vanish without an error. Elsewhere the machines
 * are loopback addresses with fixed links.
 *
 * Nothing outlives the process that created the namespaces: each lives as long as a process in it that reads from a
 * pipe without data, and its links end with it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { platform } from 'node:os'
import { freePort } from '../../free-port.ts'

/** What leaves a link that is slowed: a request of a kilobyte waits for a tenth of a second. */
const SLOW = ['rate', '80kbit', 'burst', '2kb', 'latency', '10s']

/** Why what needs links that can be cut is skipped; false where they can be. */
export const noLinks = (() => {
  if (platform() !== 'linux') return 'network namespaces are of Linux alone'
  try {
    execFileSync('unshare', ['-n', 'ip', 'rule', 'add', 'from', '127.0.0.9', 'to', '127.0.0.8', 'blackhole'])
    return false
  } catch {
    return 'links can be cut only by root, with iproute2 and network namespaces'
  }
})()

/** A place with an address, where programs run. */
export class Machine {
  readonly name: string
  readonly address: string
  /** What a program's command begins with, so that it runs there and ends with this process. */
  readonly under: readonly string[]

  constructor(name: string, address: string, under: readonly string[]) {
    this.name = name
    this.address = address
    this.under = under
  }
}

/** See the top of the file. Ended by {@link close}. */
export class Network {
  /** For each kind of service a port that is free on every machine. */
  readonly ports: { postgres: number; node: number }
  readonly #machines: Machine[] = []
  readonly #holders: ChildProcess[] = []
  readonly #cuts: string[][] = []
  readonly #slowed = new Set<Machine>()
  #switch: number | undefined

  private constructor(ports: Network['ports']) {
    this.ports = ports
  }

  static async open(): Promise<Network> {
    if (noLinks) return new Network({ postgres: await freePort(), node: await freePort() })
    const network = new Network({ postgres: 5432, node: 3000 })
    network.#switch = await network.#namespace()
    network.#inSwitch('sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward')
    // This process is on the switch like everybody else.
    const { router } = network.#plug(0, process.pid, OWN_LINK)
    execFileSync('ip', ['route', 'replace', `${subnet}.0/24`, 'via', router])
    return network
  }

  async machine(name: string): Promise<Machine> {
    const at = this.#machines.length + 1
    const ending = ['setpriv', '--pdeathsig', 'KILL']
    let machine = new Machine(name, `127.77.${process.pid & 255}.${at}`, ending)
    if (!noLinks) {
      const pid = await this.#namespace()
      const { address, router } = this.#plug(at, pid, 'eth0')
      within(pid, 'ip', 'link', 'set', 'lo', 'up')
      within(pid, 'ip', 'route', 'add', 'default', 'via', router)
      machine = new Machine(name, address, ['nsenter', '-t', String(pid), '-n', ...ending])
    }
    this.#machines.push(machine)
    return machine
  }

  /** Lets what goes from the one machine to the other vanish, either way. */
  cut(one: Machine, other: Machine): void {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const rule = ['from', from.address, 'to', to.address, 'blackhole']
      this.#inSwitch('ip', 'rule', 'add', ...rule)
      this.#cuts.push(rule)
    }
  }

  /** Slows all packets to a machine. */
  slow(machine: Machine): void {
    this.#inSwitch('tc', 'qdisc', 'add', 'dev', this.#link(machine), 'root', 'tbf', ...SLOW)
    this.#slowed.add(machine)
  }

  /** Mends all links. */
  mend(): void {
    for (const rule of this.#cuts.splice(0)) this.#inSwitch('ip', 'rule', 'del', ...rule)
    for (const machine of this.#slowed) this.#inSwitch('tc', 'qdisc', 'del', 'dev', this.#link(machine), 'root')
    this.#slowed.clear()
  }

  close(): void {
    // The link ends with the namespace of its other end, too late for a next network that opens at once.
    if (this.#switch) execFileSync('ip', ['link', 'del', OWN_LINK])
    for (const holder of this.#holders) holder.kill('SIGKILL')
  }

  /**
   * Puts a network namespace on the switch.
   * @param pid of a process in it
   * @returns its address, and that of its switch
   */
  #plug(at: number, pid: number, inside: string): { address: string; router: string } {
    const [router, address] = [`${subnet}.${4 * at + 1}`, `${subnet}.${4 * at + 2}`]
    const link = linkAt(at)
    const ends = ['type', 'veth', 'peer', 'name', inside, 'netns', String(pid)]
    execFileSync('ip', ['link', 'add', 'name', link, 'netns', String(this.#switch), ...ends])
    this.#inSwitch('ip', 'address', 'add', `${router}/30`, 'dev', link)
    this.#inSwitch('ip', 'link', 'set', link, 'up')
    within(pid, 'ip', 'address', 'add', `${address}/30`, 'dev', inside)
    within(pid, 'ip', 'link', 'set', inside, 'up')
    return { address, router }
  }

  /** A network namespace of its own. @returns the process that holds it */
  async #namespace(): Promise<number> {
    const holder = spawn('unshare', ['-n', 'sh', '-c', 'echo; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#holders.push(holder)
    await new Promise(resolve => holder.stdout.once('data', resolve))
    return holder.pid!
  }

  #inSwitch(...command: string[]): void {
    within(this.#switch!, ...command)
  }

  #link(machine: Machine): string {
    return linkAt(this.#machines.indexOf(machine) + 1)
  }
}

/** From the range for benchmarks of networks (RFC 2544), different for each process. */
const subnet = `198.${18 + ((process.pid >> 8) & 1)}.${process.pid & 255}`
const within = (pid: number, ...command: string[]) => execFileSync('nsenter', ['-t', String(pid), '-n', ...command])
/** What this process hangs on the switch by. */
const OWN_LINK = `parlance-${process.pid}`
const linkAt = (at: number) => `machine${at}`

/** The processes that a process has started, so far. */
export function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
