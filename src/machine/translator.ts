/** Translates by a machine of any kind, through the gate: one retry with the complaint, then a named refusal. */
import type { Message } from '../bundle/message.ts'
import type { Claimant } from '../scheduling/fair-shares.ts'
import { addUsage, type Machine, type MachineKind, type MachineUsage, NO_USAGE } from './machine.ts'
import type { MachineCaller } from './machine-caller.ts'
import { anthropic } from './providers/anthropic.ts'
import { apertium } from './providers/apertium.ts'
import { deepl } from './providers/deepl.ts'
import { google } from './providers/google.ts'
import { libretranslate } from './providers/libretranslate.ts'
import { openai } from './providers/openai.ts'
import { type ChatModel, translateByChat } from './translate-by-chat.ts'
import { type CallMachine, type TranslationEngine, translateByEngine } from './translate-by-engine.ts'
import type { RawTranslation, TextToTranslate, TranslationPair } from './translation.ts'

const ENGINES: Partial<Record<MachineKind, TranslationEngine>> = { deepl, google, libretranslate, apertium }
const MODELS: Partial<Record<MachineKind, ChatModel>> = { openai, anthropic }

/** A translation that passed the gate, or the sentence that says why none did. */
export type GatedTranslation = { message: Message } | { refused: string }

/** Asks the gate about a translation of the text with this index. @returns its complaint, empty without one */
export type AskGate = (index: number, message: Message) => Promise<string>

interface TranslationAnswer {
  translations: GatedTranslation[]
  usage: MachineUsage
}

/** Who translates. */
interface TranslatingOptions {
  caller: MachineCaller
  machine: Machine
  claimant: Claimant
  left: AbortSignal
}

/**
 * Translates texts in order. A text without a wanted form is not sent.
 * @throws Failure as `MachineCaller.call` does, the reason of `left`
 */
export async function translateTexts(
  { caller, machine, claimant, left }: TranslatingOptions,
  texts: readonly TextToTranslate[],
  pair: TranslationPair,
  gate: AskGate,
): Promise<TranslationAnswer> {
  let usage = NO_USAGE
  const call: CallMachine = async paid => {
    const json = await caller.call(machine, paid, claimant, left)
    usage = addUsage(usage, paid.usageIn(json) ?? paid.most)
    return json
  }
  const translations: GatedTranslation[] = texts.map(() => ({ refused: '' }))
  let asked = texts.map((text, index) => ({ text, index }))
  for (const isLast of [false, true]) {
    const refused: typeof asked = []
    for (let from = 0; from < asked.length; from += machine.batch) {
      const batch = asked.slice(from, from + machine.batch)
      const answers = await translateBatch(
        call,
        machine,
        batch.map(({ text }) => text),
        pair,
      )
      for (const [place, { text, index }] of batch.entries()) {
        const answer = answers[place]!
        const complaint = 'fault' in answer ? `${answer.fault}.` : await gate(index, answer.message)
        if ('message' in answer && complaint === '') translations[index] = { message: answer.message }
        else if (isLast) translations[index] = { refused: complaint }
        else refused.push({ text: { ...text, complaint }, index })
      }
    }
    asked = refused
  }
  return { translations, usage }
}

function translateBatch(
  call: CallMachine,
  machine: Machine,
  texts: readonly TextToTranslate[],
  pair: TranslationPair,
): Promise<RawTranslation[]> {
  const model = MODELS[machine.kind]
  if (model) return translateByChat(call, { machine, model }, texts, pair)
  return translateByEngine(call, { machine, engine: ENGINES[machine.kind]! }, texts, pair)
}
