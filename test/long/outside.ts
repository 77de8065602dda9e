/** External edits of the files of a work tree while the server runs. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually, type Organization, type Server } from '../contract/server.ts'
import { git } from '../http/git-client.ts'
import { blobId } from './agreement.ts'
import type { Client } from './client.ts'
import { chooser, PROJECT } from './lanes.ts'

/** A scan reads all files every half a minute, including those without an event. */
const LATEST_MS = 120_000
/** Seals follow within 600 ms. */
const SEALED_MS = 1_000

/** Edits, replaces and deletes a file without other writers. The API shows each edit before the next one. */
export class Editor {
  readonly organization: Organization
  /** Edits that the API has shown, each a commit. */
  adopted = 0
  readonly #client: Client
  readonly #repository: string
  readonly #file: string
  readonly #place: string
  readonly #choose: (below: number) => number
  #serial = 0
  #there = false

  constructor(number: number, server: Server, organization: Organization, client: Client) {
    this.organization = organization
    this.#client = client
    this.#place = `fr/outside${number}`
    this.#repository = server.repository(organization.id)
    this.#file = join(this.#repository, `web/locales/${this.#place}.json`)
    this.#choose = chooser(1000 + number)
  }

  async step(): Promise<void> {
    const text = `edit ${this.#serial++}`
    const kind = this.#choose(4)
    // Until the file has followed HEAD, a deletion yields to the newer version. A file that replaces the one that the
    // server is replacing at that very moment is lost: no system call of Node distinguishes the two.
    if ((kind === 0 || kind === 2) && this.#there) await this.#rest()
    mkdirSync(dirname(this.#file), { recursive: true })
    if (kind === 0 && this.#there) rmSync(this.#file)
    // Editors either write the file in place or put a new one in its place; not every one writes as we do.
    else if (kind === 1) writeFileSync(this.#file, `{"text":"${text}"}`)
    else if (kind === 2) {
      writeFileSync(`${this.#file}~`, `{\n  "text": "${text}"\n}\n`)
      renameSync(`${this.#file}~`, this.#file)
    } else writeFileSync(this.#file, `{\n  "text": "${text}"\n}\n`)
    this.#there = !(kind === 0 && this.#there)
    const wanted = this.#there ? text : undefined
    const shown = async () => {
      const reply = await this.#client.ask([200], 'GET', `${PROJECT}/bundles/${this.#place}`)
      return reply?.json.text === wanted
    }
    if (await eventually(shown, LATEST_MS)) this.adopted++
    else
      this.#client.surprises.push(
        `${this.#place}: ${this.#there ? '' : 'the deletion before '}${text} was not committed`,
      )
  }

  /** Until the server has put its version there, and a seal has passed since. */
  async #rest(): Promise<void> {
    if (!(await eventually(() => this.#settled(), LATEST_MS))) {
      this.#client.surprises.push(`${this.#place}: HEAD's version is not in the work tree`)
    }
    await pause(SEALED_MS)
  }

  async #settled(): Promise<boolean> {
    const { code, output } = await git(['-C', this.#repository, 'rev-parse', `HEAD:web/locales/${this.#place}.json`])
    return code === 0 && output.trim() === blobId(readFileSync(this.#file))
  }
}

/**
 * Edits a file that the API writes at the same time: nothing is known of what becomes of it but that all agree on it.
 */
export function editTogether(server: Server, organization: Organization, place: string, serial: number): void {
  const file = join(server.repository(organization.id), `web/locales/${place}.json`)
  const resource = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, `${JSON.stringify({ ...resource, outside: `edit ${serial}` }, null, 2)}\n`)
}
