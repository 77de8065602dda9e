/** Sends the texts of a language to a machine. Each answer is stored before the next request of its lane. */
import { type GateFault, gateSentence } from '../../bundle/gate/gate-sentence.ts'
import type { Message } from '../../bundle/message.ts'
import type { Machine, MachineUsage } from '../../machine/machine.ts'
import type { MachineCaller } from '../../machine/machine-caller.ts'
import type { TextToTranslate } from '../../machine/translation.ts'
import { attemptTexts, inRequests, readsComplaints } from '../../machine/translator.ts'
import type { Claimant } from '../../scheduling/fair-shares.ts'
import { judgeMessages } from '../reading/judge-messages.ts'
import { type MachineReading, textsForMachine } from '../reading/texts-for-machine.ts'
import { patiently } from './patiently.ts'
import type { PlannedText } from './plan-language.ts'

/** An answer for a text: its translation, the gate's complaint about the first one, or the faults of the second. */
export type TextAnswer = Pick<PlannedText, 'namespace' | 'key' | 'of' | 'config'> & {
  fromMemory?: true
} & AnswerOutcome
type AnswerOutcome = { message: Message } | { complaint: string } | { refused: GateFault[] }

/** A text with the complaint of its first attempt, if there was one. */
export type TextToSend = PlannedText & { complaint?: string | undefined }

/** What sending depends on. */
export interface SendingTexts {
  caller: MachineCaller
  machine: Machine
  claimant: Claimant
  reading: MachineReading
  language: string
  style: string | undefined
  /** Asks before each request whether to go on. @throws to stop */
  goOn(): Promise<void>
  /** Stores the answers of a request. @throws to stop */
  store(answers: TextAnswer[], usage: MachineUsage): Promise<void>
  /** Aborted where no further request is wanted: pauses end. */
  stop: AbortSignal
}

/** Requests of one job at once. */
const MOST_LANES = 4
/** Texts that are described at once. */
const DESCRIBED = 50

/** @throws Failure as `MachineCaller.call`; what was answered before is stored */
export async function sendTexts(sending: SendingTexts, texts: readonly TextToSend[]): Promise<void> {
  const batches = batchesOf(sending, texts)
  let failure: { error: unknown } | undefined
  // The lanes end together: what is under way in the others is paid.
  const lane = async () => {
    while (!failure) {
      const { value: batch } = await batches.next()
      if (batch === undefined || failure) return
      await sendBatch(sending, batch)
    }
  }
  const run = () => lane().catch(error => void (failure ??= { error }))
  await Promise.all(Array.from({ length: Math.min(MOST_LANES, sending.machine.concurrency) }, run))
  if (failure) throw failure.error
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
  const gate: Parameters<typeof attemptTexts>[3] = async (at, message) => {
    const { source, max, complaint } = batch[at]!
    const { faults, warnings } = (await judgeMessages(reading, { language, source, max }, [message]))[0]!
    const mayImprove = complaint === undefined && readsComplaints(machine)
    return mayImprove ? [...faults, ...warnings] : faults
  }
  const options = { caller, machine, claimant, left: reading.left }
  const texts = batch.map(({ planned: _, ...text }) => text)
  // What the machine may have billed fails without a time, and is not sent again.
  const { attempts, usage } = await patiently(async () => {
    await sending.goOn()
    return attemptTexts(options, texts, pair, gate)
  }, sending.stop)
  const answers = batch.map(({ planned, complaint }, at): TextAnswer => {
    const { namespace, key, of, config } = planned
    const attempt = attempts[at]!
    if ('message' in attempt) return { namespace, key, of, config, ...attempt }
    const { faults } = attempt
    const outcome = complaint === undefined ? { complaint: gateSentence(faults) } : { refused: faults }
    return { namespace, key, of, config, ...outcome }
  })
  await sending.store(answers, usage)
}
