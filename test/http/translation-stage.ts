/** A server with a scripted chat model, for tests of jobs of machine translation. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { eventually } from '../eventually.ts'
import { FakeMachine } from '../machine/fake-machine.ts'
import { newFolder } from '../new-folder.ts'
import { openScene, type Reply, type Scene, type Sending } from './server.ts'

export const PRICE = { currency: 'USD', perMillionInputTokens: 1, perMillionOutputTokens: 2 }

/** Each test has projects of its own. */
export class TranslationStage {
  readonly scene: Scene
  readonly fake: FakeMachine
  readonly file: string
  readonly lines: string[]

  private constructor(scene: Scene, fake: FakeMachine, file: string, lines: string[]) {
    this.scene = scene
    this.fake = fake
    this.file = file
    this.lines = lines
  }

  static async open(t: Test): Promise<TranslationStage> {
    const fake = await FakeMachine.open(t)
    const file = join(newFolder(t, { list: '[]' }), 'list')
    chmodSync(file, 0o600)
    const lines: string[] = []
    const env = { MACHINES_FILE: file, LOG_LEVEL: 'trace' }
    const scene = await openScene(t, env, { log: { write: line => lines.push(line) } })
    return new TranslationStage(scene, fake, file, lines)
  }

  list(...rows: object[]): void {
    writeFileSync(this.file, JSON.stringify(rows))
  }

  async project(slug: string, bundles: Record<string, object>): Promise<string> {
    const { server, acme } = this.scene
    const url = await server.project(acme.key, slug)
    for (const [place, body] of Object.entries(bundles)) {
      await server.must('PUT', `${url}/bundles/${place}`, { key: acme.key, body })
    }
    return url
  }

  call(method: string, path: string, body?: object, sending: Sending = { key: this.scene.acme.key }): Promise<Reply> {
    return this.scene.server.call(method, path, { ...sending, ...(body && { body }) })
  }

  async plan(url: string, body: object): Promise<Reply> {
    let reply: Reply
    await eventually(async () => {
      reply = await this.call('POST', `${url}/translate?dryRun=true`, body)
      return reply.status !== 503
    })
    return reply!
  }

  /** Starts a job. @returns its id */
  async start(url: string, body: object, sending?: Sending): Promise<string> {
    const reply = await this.call('POST', `${url}/translate`, body, sending)
    if (reply.status !== 202) throw new Error(reply.text)
    return reply.json.job
  }

  // biome-ignore lint/suspicious/noExplicitAny: the tests check its members
  async ended(url: string, id: string): Promise<any> {
    let job: Reply['json']
    await eventually(async () => {
      job = (await this.call('GET', `${url}/jobs/${id}`)).json
      return job.endedAt !== null
    })
    return job
  }

  async run(url: string, body: object, sending?: Sending) {
    return this.ended(url, await this.start(url, body, sending))
  }

  async read(url: string, place: string) {
    return (await this.call('GET', `${url}/bundles/${place}`)).json
  }

  /** The texts of all requests so far. */
  sent(): unknown[] {
    return this.fake.requests.flatMap(({ json }) =>
      Object.values(JSON.parse(json.messages[1].content).texts).map(text => (text as { source: unknown }).source),
    )
  }
}
