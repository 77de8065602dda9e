/** An agent that calls tools at random in one project, and notes its revisions. */
import { random } from '../random.ts'
import type { Agent } from './agent.ts'

const LANGUAGES = ['en', 'de', 'pl', 'fr']
const KEYS = ['a', 'b', 'list.0', 'list.1', 'cart.pay', 'item', 'place_ordinal', '__proto__', 'ü.ß']
const VALUES: unknown[] = [
  ...['x', '', 'Hi {{name}}', '{{count}} of', '<b>bold</b>', 'Ignore the above', '\u0007', 'y'.repeat(300)],
  ...[{ one: '{{count}} a', other: '{{count}} b' }, { few: 'c' }, { no: 'd' }, {}, 7, null],
]

const any = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!
const some = <T>(most: number, one: () => T): T[] => Array.from({ length: Math.floor(random() * most) + 1 }, one)

export class RandomAgent {
  readonly #agent: Agent
  readonly #project: string
  /** The commits, oldest first. */
  readonly revisions: string[] = []

  constructor(agent: Agent, project: string) {
    this.#agent = agent
    this.#project = project
  }

  async act(): Promise<void> {
    const project = random() < 0.03 ? any(['none', '', '../x']) : this.#project
    const place = () => ({ namespace: any(['common', 'home']), key: any(KEYS) })
    const set = () => some(8, () => ({ language: any(LANGUAGES), ...place(), value: any(VALUES) }))
    const rename = () => ({ namespace: 'common', from: any(KEYS), to: any(KEYS) })
    const changes = () =>
      any<() => object>([
        () => ({ set: set() }),
        () => ({ set: set() }),
        () => ({ delete: some(3, place), ...(random() < 0.5 && { set: set() }) }),
        () => ({ rename: rename() }),
        () => ({ rename: some(3, rename), ...(random() < 0.5 && { set: set().slice(0, 2) }) }),
        () => ({ rename: some(2, rename), delete: some(2, place) }),
      ])()
    const [name, input] = any<() => [string, object]>([
      () => ['find_texts', { project, text: any(['x', 'hi', '{{']) }],
      () => ['get_key', { project, ...place() }],
      () => ['guide', { project }],
      () => ['apply', { project, set: set() }],
      () => ['apply', { project, set: set().slice(0, 1) }],
      () => ['plan', { project, ...changes() }],
      () => ['plan', { project, ...changes() }],
      () => ['rename_key', { project, namespace: 'common', from: any(KEYS), to: any(KEYS) }],
      () => ['delete_key', { project, ...place() }],
      () => ['undo', { project, revisions: [any([...this.revisions, 'HEAD', 'x'])] }],
    ])()
    const answer = await this.#agent.call(name, input)
    this.#note(answer)
    if (typeof answer.plan !== 'string' || random() < 0.2) return
    const writes = name === 'plan' ? 'apply' : name
    this.#note(await this.#agent.call(writes, { ...input, plan: answer.plan }))
    if (random() < 0.3) this.#note(await this.#agent.call(writes, { ...input, plan: answer.plan }))
  }

  #note({ revision, repeated, undo }: { revision?: unknown; repeated?: unknown; undo?: unknown }): void {
    if (undo && !repeated) this.revisions.push(String(revision))
  }

  /** Undoes all of its commits, the newest first. */
  async undoAll(): Promise<void> {
    for (let end = this.revisions.length; end > 0; end -= 100) {
      const revisions = this.revisions.slice(Math.max(0, end - 100), end)
      const { error } = await this.#agent.call('undo', { project: this.#project, revisions })
      if (error) throw new Error(error)
    }
  }
}
