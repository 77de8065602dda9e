/**
 * Says which approvals hold, from `git log` alone. It shares no code with the server and compares texts, not digests.
 * An approval holds while source and text are those that a reviewer approved. It may move with a key, and come back
 * with an earlier state. After a reviewer withdraws it, only a reviewer brings it back.
 */
import { execFileSync } from 'node:child_process'

/** Texts and approvals of one commit, by `<language>/<namespace>/<key>`. */
interface State {
  texts: Map<string, string>
  /** As JSON. */
  approvals: Map<string, string>
}

/** An approval with the source and the text that it was given for. */
interface Granted {
  mark: string
  pair: string
}

/** The digest of an approval that is of no text. */
export const NO_TEXT = '0000000000000000'

const NOTHING: State = { texts: new Map(), approvals: new Map() }

export class ApprovalOracle {
  /** What should not have happened. */
  readonly faults: string[] = []
  readonly #folder: string
  readonly #reviews: (author: string, language: string) => boolean
  readonly #blobs = new Map<string, string>()
  #revision: string | undefined
  #state = NOTHING
  #granted = new Map<string, Granted>()
  /** Each approval that a place has had, by place and mark. */
  readonly #known = new Map<string, Granted>()
  readonly #withdrawn = new Set<string>()

  /** @param reviews whether an author, by the name in git, may review a language */
  constructor(folder: string, reviews: (author: string, language: string) => boolean) {
    this.#folder = folder
    this.#reviews = reviews
  }

  /** Reads the commits up to a revision. @returns the places with an approval that holds there, sorted */
  readTo(revision: string): string[] {
    const range = this.#revision === undefined ? revision : `${this.#revision}..${revision}`
    const log = this.#git(['log', '--first-parent', '--reverse', '--format=%H%x09%an%x09%s', range])
    for (const line of log.split('\n').filter(Boolean)) {
      const [commit, author, subject] = line.split('\t') as [string, string, string]
      this.#read(this.#stateAt(commit), author, `${author}: ${subject} (${commit.slice(0, 7)})`)
    }
    this.#revision = revision
    const holds = ([place, { pair }]: [string, Granted]) => pair === pairIn(this.#state, place) && !isBlank(pair)
    return [...this.#granted]
      .filter(holds)
      .map(([place]) => place)
      .sort()
  }

  #read(after: State, author: string, commit: string): void {
    const before = this.#state
    const places = new Set([...before.approvals.keys(), ...after.approvals.keys()])
    const changed = [...places].filter(place => before.approvals.get(place) !== after.approvals.get(place))
    const was = new Map(this.#granted)
    const left = new Set(changed.filter(place => before.approvals.has(place)))
    for (const place of left) this.#granted.delete(place)
    for (const place of changed) {
      const mark = after.approvals.get(place)
      if (mark === undefined) continue
      const from = [...left].find(one => one !== place && was.get(one)?.mark === mark)
      if (from !== undefined) {
        left.delete(from)
        this.#grant(place, was.get(from)!)
        continue
      }
      const mayReview = this.#reviews(author, place.split('/')[0]!)
      const known = this.#known.get(`${place} ${mark}`)
      const pair = mark.includes(NO_TEXT) ? '' : (pairIn(after, place) ?? '')
      const granted = known ?? { mark, pair }
      if (!known && !mayReview) this.faults.push(`${place} was approved by ${commit}`)
      if (this.#withdrawn.has(nameOf(place, granted.pair)) && !mayReview)
        this.faults.push(`${place} has its withdrawn approval again, by ${commit}`)
      if (mayReview) this.#withdrawn.delete(nameOf(place, granted.pair))
      this.#grant(place, granted)
    }
    for (const place of left) {
      const { pair } = was.get(place)!
      const stands = pair === pairIn(before, place) && pair === pairIn(after, place)
      if (!stands || this.#granted.get(place)?.pair === pair) continue
      if (!this.#reviews(author, place.split('/')[0]!)) this.faults.push(`${place} lost its approval by ${commit}`)
      this.#withdrawn.add(nameOf(place, pair))
    }
    this.#state = after
  }

  #grant(place: string, granted: Granted): void {
    this.#granted.set(place, granted)
    this.#known.set(`${place} ${granted.mark}`, granted)
  }

  #stateAt(commit: string): State {
    const state: State = { texts: new Map(), approvals: new Map() }
    const files = this.#git(['ls-tree', '-r', commit, 'web/locales', 'web/marks']).split('\n').filter(Boolean)
    const entries = files.map(line => /^\d+ blob (\w+)\tweb\/(locales|marks)\/(.+)\.json$/.exec(line)!)
    this.#load(entries.map(([, id]) => id!))
    for (const [, id, folder, file] of entries) {
      const value = JSON.parse(this.#blobs.get(id!)!)
      if (folder === 'locales') for (const [key, text] of messagesIn(value)) state.texts.set(`${file}/${key}`, text)
      else
        for (const [key, marks] of Object.entries<{ approved?: object }>(value))
          if (marks.approved) state.approvals.set(`${file}/${key}`, JSON.stringify(marks.approved))
    }
    return state
  }

  #load(ids: readonly string[]): void {
    const wanted = [...new Set(ids)].filter(id => !this.#blobs.has(id))
    if (wanted.length === 0) return
    let rest = this.#run(['cat-file', '--batch'], `${wanted.join('\n')}\n`)
    for (const id of wanted) {
      const end = rest.indexOf('\n')
      const size = Number(rest.toString('utf8', 0, end).split(' ')[2])
      this.#blobs.set(id, rest.toString('utf8', end + 1, end + 1 + size))
      rest = rest.subarray(end + size + 2)
    }
  }

  #git(args: string[]): string {
    return this.#run(args, '').toString('utf8')
  }

  #run(args: string[], input: string): Buffer {
    return execFileSync('git', ['-c', 'safe.directory=*', '-C', this.#folder, ...args], { input, maxBuffer: 1 << 28 })
  }
}

/** Withdrawals count for a text of a namespace under any key. */
const nameOf = (place: string, pair: string) => `${place.split('/').slice(0, 2).join('/')} ${pair}`

/** The source and the text of a place, undefined without a text. */
function pairIn({ texts }: State, place: string): string | undefined {
  const [, ...rest] = place.split('/')
  const text = texts.get(place)
  return text === undefined ? undefined : JSON.stringify([texts.get(['en', ...rest].join('/')) ?? null, text])
}

const isBlank = (pair: string): boolean =>
  (JSON.parse((JSON.parse(pair) as [string, string])[1]) as [string, string][]).some(([, text]) => text === '')

/** The texts of a nested or flat file by key; the forms of a plural are one. */
function messagesIn(value: object): Map<string, string> {
  const names = new Map<string, [string, string][]>()
  const read = (value: object, before: string) => {
    for (const [name, part] of Object.entries(value)) {
      if (typeof part === 'object') read(part, `${before}${name}.`)
      else {
        const key = `${before}${name}`.replace(/_(one|other)$/, '')
        names.set(key, [...(names.get(key) ?? []), [`${before}${name}`.slice(key.length), part]])
      }
    }
  }
  read(value, '')
  return new Map([...names].map(([key, texts]) => [key, JSON.stringify(texts.sort(([a], [b]) => (a < b ? -1 : 1)))]))
}
