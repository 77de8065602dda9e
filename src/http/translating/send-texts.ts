/** Sends the texts of a language to a machine. Each answer is stored before the next request of its lane. */
import { Failure } from '../../bundle/errors.ts'
import { type GateFault, gateSentence } from '../../bundle/gate/gate-sentence.ts'
import type { Message } from '../../bundle/message.ts'
import { isChatModel, type Machine } from '../../machine/machine.ts'
import type { MachineCaller } from '../../machine/machine-caller.ts'
import type { TextToTranslate } from '../../machine/translation.ts'
import { attemptTexts, inRequests } from '../../machine/translator.ts'
import type { Claimant } from '../../scheduling/fair-shares.ts'
import { judgeMessages } from '../reading/judge-messages.ts'
import { type MachineReading, textsForMachine } from '../reading/texts-for-machine.ts'
import { patiently } from './patiently.ts'
import { type PlannedText, type PlannedVersion, versionOf } from './plan-language.ts'

/** An answer for a text: its translation, the gate's complaint about the first one, or the faults of the second. */
export type TextAnswer = PlannedVersion & { fromMemory?: true } & AnswerOutcome
/** A complaint about warnings alone has the message: it is the answer where no better one comes. */
type AnswerOutcome = { message: Message } | { complaint: string; message?: Message } | { refused: GateFault[] }

/** A text with the complaint of its first attempt, and with its message if that was about warnings alone. */
export type TextToSend = PlannedText & { complaint?: string | undefined; message?: Message | undefined }

/** What sending depends on. */
export interface SendingTexts {
  caller: MachineCaller
  machine: Machine
  claimant: Claimant
  reading: MachineReading
  language: string
  style: string | undefined
  /** Asks before each request whether to go on. @returns the machine as it is now @throws to stop */
  goOn(): Promise<Machine>
  /** Stores the answers of a request. @throws to stop */
  store(answers: TextAnswer[]): Promise<void>
  /** Hears what each request counted. */
  onSpent(amount: number): void
  /** Aborted where requests under way have had their time. */
  left: AbortSignal
  /** Aborted where no further request is wanted: pauses end. */
  stop: AbortSignal
}

/** Requests of one job at once. */
const MOST_LANES = 4
/** Requests that may fail without one that succeeds in between: then the machine has failed. */
const MOST_FAILED = 3
/** Texts that are described at once. */
const DESCRIBED = 50

/**
 * Sends all texts. Where a machine fails at some texts alone, the others are sent.
 * @returns the first failure of these
 * @throws Failure as `MachineCaller.call`; what was answered before is stored
 */
export async function sendTexts(sending: SendingTexts, texts: readonly TextToSend[]): Promise<Failure | undefined> {
  const batches = batchesOf(sending, texts)
  /** Texts of refused requests, one by one: the machine may have refused one of them. */
  const alone: DescribedText[] = []
  let failedInRow = 0
  let end: { error: unknown } | undefined
  let skipped: Failure | undefined
  const failed = (error: unknown, batch: readonly DescribedText[]) => {
    const isOfTexts = error instanceof Failure && error.data.isOfTexts === true
    if (!isOfTexts || ++failedInRow === MOST_FAILED) end ??= { error }
    // A request that may have been counted is not sent in parts: they would be paid again.
    else if (batch.length > 1 && error.data.isFree === true) alone.push(...batch)
    else skipped ??= error
  }
  const next = async () => {
    const text = alone.shift()
    return text === undefined ? (await batches.next()).value : [text]
  }
  // The lanes end together: what is under way in the others is paid.
  const lane = async () => {
    while (!end) {
      const batch = await next()
      if (batch === undefined || end) return
      try {
        await sendBatch(sending, batch)
        failedInRow = 0
      } catch (error) {
        failed(error, batch)
      }
    }
  }
  const run = () => lane().catch(error => void (end ??= { error }))
  await Promise.all(Array.from({ length: Math.min(MOST_LANES, sending.machine.concurrency) }, run))
  // Of a lane that failed last, after the others had ended.
  while (alone.length > 0 && !end) await run()
  if (end) throw end.error
  return skipped
}

/** A text as the machine gets it. */
type DescribedText = TextToTranslate & { planned: TextToSend }

async function* batchesOf(
  { reading, language, machine }: SendingTexts,
  texts: readonly TextToSend[],
): AsyncGenerator<DescribedText[]> {
  const { slug } = reading.project
  for (let from = 0; from < texts.length; ) {
    const { namespace } = texts[from]!
    let to = from + 1
    while (to < texts.length && to - from < DESCRIBED && texts[to]!.namespace === namespace) to++
    const planned = texts.slice(from, to)
    const known = await textsForMachine(reading, { slug, language, namespace }, planned)
    const described = known.map((text, at): DescribedText => {
      const { complaint } = planned[at]!
      return { ...text, ...(complaint !== undefined && { complaint }), planned: planned[at]! }
    })
    yield* inRequests(machine, described)
    from = to
  }
}

async function sendBatch(sending: SendingTexts, batch: readonly DescribedText[]): Promise<void> {
  const { machine, caller, claimant, reading, language, style } = sending
  const { sourceLanguage: from, interpolation } = reading.project
  const pair = { from, to: language, interpolation, style }
  const warned = new Map<number, Message>()
  const gate: Parameters<typeof attemptTexts>[3] = async (at, message) => {
    const { source, max, complaint } = batch[at]!
    const { faults, warnings } = (await judgeMessages(reading, { language, source, max }, [message]))[0]!
    const mayImprove = complaint === undefined && isChatModel(machine)
    if (mayImprove && faults.length === 0 && warnings.length > 0) warned.set(at, message)
    return mayImprove ? [...faults, ...warnings] : faults
  }
  const { left, stop, onSpent } = sending
  const options = { caller, claimant, left, stop, onSpent, answered: new Map() }
  const texts = batch.map(({ planned: _, ...text }) => text)
  const { attempts } = await patiently(async () => {
    return attemptTexts({ ...options, machine: await sending.goOn() }, texts, pair, gate)
  }, stop)
  const answers = batch.map(({ planned, complaint }, at): TextAnswer => {
    const attempt = attempts[at]!
    if ('message' in attempt) return { ...versionOf(planned), ...attempt }
    const { faults } = attempt
    const message = planned.message ?? warned.get(at)
    const answer = { ...versionOf(planned), ...(message && { message }) }
    if (complaint === undefined) return { ...answer, complaint: gateSentence(faults) }
    return message ? { ...answer, message } : { ...answer, refused: faults }
  })
  await sending.store(answers)
}
