/** Each way to misbehave, by each kind of machine: a text fits, or is refused, or the failure names the machine. */
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { gateFaults } from '../../src/bundle/gate/gate-faults.ts'
import { type GateFaultCode, gateSentence } from '../../src/bundle/gate/gate-sentence.ts'
import { wantedLeaves } from '../../src/bundle/gate/wanted-leaves.ts'
import { rulesOf } from '../../src/bundle/status.ts'
import { MACHINE_KINDS, type MachineKind } from '../../src/machine/machine.ts'
import { MachineCaller } from '../../src/machine/machine-caller.ts'
import { type AttemptedTranslation, translateTexts } from '../../src/machine/translator.ts'
import { answerOf, anthropicAnswer, textsIn } from './answers.ts'
import { FakeMachine, openaiAnswer, type Script, SECRET_KEY } from './fake-machine.ts'

const SOURCE = 'Hello {{name}}, see <1>the {{thing}}</1>'
/** Any words with exactly these placeholders, nested like this. */
const FITS = /^[^{}<>]*\{\{name\}\}[^{}<>]*<1>[^{}<>]*\{\{thing\}\}[^{}<>]*<\/1>[^{}<>]*$/

const HELD = /<(x|span)\b[^>]*>\{\{name\}\}<\/\1>|<img id="0"\/>|\{\{name\}\}/
const OPEN = /<(?:1|[gab] id="\d")>/
const CLOSE = /<\/[1gab]>/

/** Spoils a text, masked or not. */
const SPOILS: Record<string, (text: string) => string> = {
  'a dropped placeholder': text => text.replace(HELD, ''),
  'a renamed placeholder': text => text.replace('{{name}}', '{{Name}}').replace('id="0"', 'id="7"'),
  'a doubled placeholder': text => text.replace(HELD, '$& $&'),
  'an added placeholder': text => `${text} {{secret}}`,
  'an added tag': text => `${text} &lt;2&gt;x&lt;/2&gt;<2>x</2>`,
  'crossed tags': text =>
    text.replace(OPEN, '@').replace(CLOSE, text.match(OPEN)![0]).replace('@', text.match(CLOSE)![0]),
  'a lost end of a tag': text => text.replace(CLOSE, ''),
  'no text': () => ' ',
  'a book': text => text + 'x'.repeat(5_000),
  'a text that was obeyed': () => 'HACKED',
}

interface Outcome {
  outcome: AttemptedTranslation | { error: string; message: string }
  requests: number
}

async function translate(
  fake: FakeMachine,
  kind: MachineKind,
  sources: readonly string[] = [SOURCE],
  timeoutSeconds = 30,
): Promise<Outcome[]> {
  const rules = rulesOf('en', 'de')
  const all = sources.map(source => ({
    key: 'k',
    source,
    wanted: wantedLeaves(source, rules),
    terms: [],
    neighbours: [],
  }))
  const reserve = async () => ({ settle: async () => {} })
  const options = {
    caller: new MachineCaller({ reserve, spent: async () => new Map() }),
    machine: fake.machine(kind, { timeoutSeconds }),
    claimant: { organization: 'acme', credential: 'ann' },
    left: new AbortController().signal,
  }
  const gate = async (at: number, message: Parameters<typeof gateFaults>[1]) =>
    gateFaults(all[at]!.source, message, rules)
  fake.requests.length = 0
  try {
    const { attempts } = await translateTexts(options, all, { from: 'en', to: 'de' }, gate)
    return attempts.map(outcome => ({ outcome, requests: fake.requests.length }))
  } catch (error) {
    const { code, message } = error as Error & { code: string }
    return [{ outcome: { error: code, message }, requests: fake.requests.length }]
  }
}

/** Whole answers, and what becomes of them: the code of a refusal, of a failure, or `fits`. */
const ANSWERS: Record<
  string,
  (
    kind: MachineKind,
    good: unknown,
    texts: string[],
  ) => [Script, GateFaultCode | 'fits' | 'bad-gateway' | 'unavailable']
> = {
  'fewer or other texts': (kind, _, texts) => {
    if (kind === 'openai') return [() => openaiAnswer({ 0: { title: texts[0] } }), 'answer-members']
    if (kind === 'anthropic') return [() => anthropicAnswer({ 7: { text: texts[0] } }), 'answer-no-json']
    if (kind === 'apertium') return [() => ({ responseData: {} }), 'answer-texts']
    return [() => answerOf(kind, [texts[0]!, texts[0]!]), 'answer-texts']
  },
  'prose around JSON': (kind, good, texts) => {
    const said = `Sure! Here it is: ${JSON.stringify({ 0: { text: texts[0] } })}`
    if (kind === 'openai') return [() => openaiAnswer(said), 'answer-no-json']
    if (kind === 'anthropic') return [() => ({ content: [{ type: 'text', text: said }] }), 'answer-no-json']
    return [() => `Sure! ${JSON.stringify(good)}`, 'bad-gateway']
  },
  'a code fence around JSON': (kind, good, texts) => {
    const fenced = `\`\`\`json\n${JSON.stringify({ 0: { text: texts[0] } })}\n\`\`\``
    if (kind === 'openai') return [() => openaiAnswer(fenced), 'fits']
    return [() => `\`\`\`json\n${JSON.stringify(good)}\n\`\`\``, 'bad-gateway']
  },
  'thoughts before JSON': (kind, good, texts) => {
    const thoughts = `<think>\nIt says { "0": … }.\n</think>\n\n`
    if (kind === 'openai') return [() => openaiAnswer(thoughts + JSON.stringify({ 0: { text: texts[0] } })), 'fits']
    return [() => thoughts + JSON.stringify(good), 'bad-gateway']
  },
  'half of the JSON': (_, good) => [() => JSON.stringify(good).slice(0, -9), 'bad-gateway'],
  'a byte order mark': (_, good) => [() => `\ufeff${JSON.stringify(good)}`, 'fits'],
  'UTF-16': (_, good) => [
    (_, response) => void response.end(Buffer.from(`\ufeff${JSON.stringify(good)}`, 'utf16le')),
    'bad-gateway',
  ],
  'a bomb of gzip': () => [
    (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync(Buffer.alloc(50 * 2 ** 20, 32)))
    },
    'bad-gateway',
  ],
  'an error with status 200': () => [() => ({ error: { message: SECRET_KEY, code: 429 } }), 'bad-gateway'],
  'another shape': () => [() => ({ ok: true }), 'answer-texts'],
  'status 500': () => [(_, response) => void response.writeHead(500).end(SECRET_KEY), 'bad-gateway'],
  'no answer': () => [() => undefined, 'unavailable'],
  'a slow drip': () => [
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(timer))
    },
    'unavailable',
  ],
  '100 MB': () => [
    (_, response) => {
      response.writeHead(200)
      const chunk = 'x'.repeat(2 ** 20)
      const more = (left: number): unknown =>
        left === 0 || response.destroyed ? response.end() : response.write(chunk, () => more(left - 1))
      more(100)
    },
    'bad-gateway',
  ],
}

/** One kind after the other would wait for their timeouts. */
async function each(t: Test, check: (t: Test, kind: MachineKind, fake: FakeMachine) => Promise<void>): Promise<void> {
  t.jobs = MACHINE_KINDS.length
  await Promise.all(MACHINE_KINDS.map(kind => t.test(kind, async t => check(t, kind, await FakeMachine.open(t)))))
}

t.test('refuses each spoiled text after a second request', t =>
  each(t, async (t, kind, fake) => {
    fake.script = asked => answerOf(kind, textsIn(kind, asked))
    t.match((await translate(fake, kind))[0]!.outcome, { message: SOURCE }, 'a good answer')
    for (const [what, spoil] of Object.entries(SPOILS)) {
      fake.script = asked => answerOf(kind, textsIn(kind, asked).map(spoil))
      const [{ outcome, requests }] = (await translate(fake, kind)) as [Outcome]
      // Masks are known by their numbers: what a machine writes into one is replaced.
      if ('message' in outcome && !('error' in outcome)) t.match(outcome.message, FITS, `${what} is restored`)
      else
        t.ok('faults' in outcome && outcome.faults.length > 0 && requests === 2, `${what}: ${JSON.stringify(outcome)}`)
    }
  }),
)

t.test('accepts the second answer for each spoiled text, where that fits', t =>
  each(t, async (t, kind, fake) => {
    const spoils = Object.values(SPOILS)
    const sources = spoils.map((_, at) => `${SOURCE} ${at}`)
    const asked = new Map<string, number>()
    fake.script = request =>
      answerOf(
        kind,
        textsIn(kind, request).map(text => {
          const number = Number(/ (\d+)$/.exec(text)![1])
          const attempt = asked.get(String(number)) ?? 0
          asked.set(String(number), attempt + 1)
          return attempt === 0 ? spoils[number]!(text) : text
        }),
      )
    for (const [at, { outcome }] of (await translate(fake, kind, sources)).entries()) {
      t.match('message' in outcome ? outcome.message : JSON.stringify(outcome), FITS, sources[at]!)
    }
    t.ok(
      [...asked.values()].every(times => times <= 2),
      'no text is sent a third time',
    )
  }),
)

t.test('survives each answer that is none', t =>
  each(t, async (t, kind, fake) => {
    let texts: string[] = []
    fake.script = asked => {
      texts = textsIn(kind, asked)
      return answerOf(kind, texts)
    }
    await translate(fake, kind)
    for (const [what, script] of Object.entries(ANSWERS)) {
      const [answer, expected] = script(kind, answerOf(kind, texts), texts)
      fake.script = answer
      const patience = expected === 'unavailable' ? 1 : 30
      const [{ outcome }] = (await translate(fake, kind, [SOURCE], patience)) as [Outcome]
      const isChat = kind === 'openai' || kind === 'anthropic'
      const wanted = expected === 'answer-texts' && isChat ? 'answer-no-json' : expected
      if ('error' in outcome) {
        t.equal(outcome.error, wanted, `${what}: ${outcome.message}`)
        t.match(outcome.message, `The machine "${kind}" `)
        t.notMatch(outcome.message, SECRET_KEY)
      } else if ('faults' in outcome)
        t.equal(outcome.faults[0]!.code, wanted, `${what}: ${gateSentence(outcome.faults)}`)
      else t.equal('fits', wanted, what)
    }
  }),
)

t.test('sends nothing over a connection that the machine may be closing', t =>
  each(t, async (t, kind, fake) => {
    const used = new Set<unknown>()
    fake.script = (asked, { socket }) => {
      if (used.has(socket)) return void socket!.destroy()
      used.add(socket)
      return answerOf(kind, textsIn(kind, asked))
    }
    for (let times = 0; times < 3; times++) t.match(await translate(fake, kind), [{ outcome: { message: SOURCE } }])
    t.equal(used.size, 3)
  }),
)

t.test('waits as Retry-After asks, and follows no redirect', t =>
  each(t, async (t, kind, fake) => {
    const other = await FakeMachine.open(t)
    for (const status of [301, 302, 303, 307, 308]) {
      fake.script = (_, response) => void response.writeHead(status, { location: other.url }).end()
      t.match(await translate(fake, kind), [{ outcome: { error: 'bad-gateway', message: 'redirect' }, requests: 1 }])
    }
    t.equal(other.requests.length, 0)
    const times: number[] = []
    fake.script = (asked, response) => {
      times.push(performance.now())
      if (times.length === 1) return void response.writeHead(429, { 'retry-after': '1' }).end()
      return answerOf(kind, textsIn(kind, asked))
    }
    t.match(await translate(fake, kind), [{ outcome: { message: SOURCE }, requests: 2 }])
    t.ok(times[1]! - times[0]! >= 990, `${times[1]! - times[0]!} ms between the two`)
    fake.script = (_, response) => void response.writeHead(429, { 'retry-after': '3600' }).end()
    await pause(0)
    t.match(await translate(fake, kind), [{ outcome: { error: 'unavailable' } }])
  }),
)
