/** Translates by an engine that knows texts and languages only: a text for each plural form, with an example number. */
import type { GateFaultCode } from '../bundle/gate/gate-sentence.ts'
import { messageFrom, type WantedLeaf } from '../bundle/gate/wanted-leaves.ts'
import type { Machine, MachineUsage } from './machine.ts'
import type { PaidRequest } from './machine-caller.ts'
import { type EngineText, type MaskStyle, maskText } from './placeholder-mask.ts'
import type { MachineRequest } from './send-request.ts'
import {
  inBatches,
  isFarLonger,
  type RawTranslation,
  type TextToTranslate,
  type TranslationPair,
} from './translation.ts'

/** Masked texts for one request. */
export interface EngineBatch {
  texts: readonly string[]
  from: string
  to: string
  /** What explains the texts and is not translated; an engine may ignore it. */
  context?: string | undefined
}

/** A kind of engine. */
export interface TranslationEngine {
  style: MaskStyle
  /** Maximum of texts in a request. */
  most: number
  request(machine: Machine, batch: EngineBatch): MachineRequest
  /** The translations; undefined for an answer of another shape. */
  read(json: unknown): readonly string[] | undefined
}

/** Sends a request. @throws Failure as `MachineCaller.call` does */
export type CallMachine = (paid: PaidRequest) => Promise<unknown>

/** Characters of a request. */
const MOST_CHARACTERS = 20_000

interface Segment {
  text: number
  leaf: WantedLeaf
  masked: EngineText
}

export async function translateByEngine(
  call: CallMachine,
  { machine, engine }: { machine: Machine; engine: TranslationEngine },
  texts: readonly TextToTranslate[],
  pair: TranslationPair,
): Promise<RawTranslation[]> {
  const segments = texts.flatMap((text, index) =>
    text.wanted.map((leaf): Segment => ({ text: index, leaf, masked: mask(text, leaf, engine.style, pair) })),
  )
  const found = texts.map(() => new Map<string, string>())
  const faults = new Map<number, GateFaultCode>()
  const most = [engine.most, MOST_CHARACTERS]
  for (const batch of inBatches(segments, most, ({ masked }) => [1, masked.text.length])) {
    const sent = batch.map(({ masked }) => masked.text)
    const usage = { characters: sent.join('').length, inputTokens: 0, outputTokens: 0 } satisfies MachineUsage
    const context = texts.length === 1 ? texts[0]!.note : undefined
    const request = engine.request(machine, { texts: sent, from: pair.from, to: pair.to, context })
    const answers = engine.read(await call({ request, most: usage, usageIn: () => usage }))
    for (const [index, { text, leaf, masked }] of batch.entries()) {
      const answer = answers?.length === batch.length ? answers[index]! : undefined
      const fault = faultOf(answer, masked)
      if (fault !== undefined) faults.set(text, fault)
      else found[text]!.set(leaf.name, masked.restore(answer!)!)
    }
  }
  return found.map((forms, index) => {
    const fault = faults.get(index)
    return fault === undefined ? { message: messageFrom(forms) } : { fault }
  })
}

function faultOf(answer: string | undefined, masked: EngineText): GateFaultCode | undefined {
  if (answer === undefined) return 'answer-texts'
  if (isFarLonger(answer, masked.text)) return 'answer-long'
  return masked.restore(answer) === undefined ? 'answer-number' : undefined
}

/** After a complaint the number is hidden: the engine may have written it in words. */
function mask(
  { complaint }: TextToTranslate,
  { source, examples }: WantedLeaf,
  style: MaskStyle,
  { interpolation, to }: TranslationPair,
): EngineText {
  const number = complaint === undefined ? examples.find(example => example !== 0) : undefined
  return maskText(source, { style, interpolation, number, to })
}
