/** Translates by a machine of any kind, through the gate: one retry with the complaint, then a named refusal. */
import { type GateFault, gateSentence } from '../bundle/gate/gate-sentence.ts'
import { charactersOf } from '../bundle/gate/wanted-leaves.ts'
import type { Message } from '../bundle/message.ts'
import { addUsage, type Machine, type MachineKind, type MachineUsage, NO_USAGE } from './machine.ts'
import type { CallOptions, MachineCaller } from './machine-caller.ts'
import { anthropic } from './providers/anthropic.ts'
import { apertium } from './providers/apertium.ts'
import { deepl } from './providers/deepl.ts'
import { google } from './providers/google.ts'
import { libretranslate } from './providers/libretranslate.ts'
import { openai } from './providers/openai.ts'
import { type ChatModel, translateByChat } from './translate-by-chat.ts'
import { type CallMachine, type TranslationEngine, translateByEngine } from './translate-by-engine.ts'
import { inBatches, type RawTranslation, type TextToTranslate, type TranslationPair } from './translation.ts'

const ENGINES: Partial<Record<MachineKind, TranslationEngine>> = { deepl, google, libretranslate, apertium }
const MODELS: Partial<Record<MachineKind, ChatModel>> = { openai, anthropic }

/** Characters of sources in one batch: an engine gets them in one request, with their masks. */
const BATCH_CHARACTERS = 10_000

/** Asks the gate about a translation of the text with this index. */
export type AskGate = (index: number, message: Message) => Promise<GateFault[]>

interface TranslationAnswer {
  attempts: AttemptedTranslation[]
  usage: MachineUsage
}

/** Who translates. */
interface TranslatingOptions extends CallOptions {
  caller: MachineCaller
  machine: Machine
  /** Answers by the bodies of their requests. An attempt after a failure does not pay for them again. */
  answered?: Map<string, unknown>
}

/** A translation that passed the gate, or its faults. */
export type AttemptedTranslation = { message: Message } | { faults: GateFault[] }

/**
 * Translates texts in order, with one retry: at most `machine.batch`.
 * @throws Failure as `MachineCaller.call` does, the reason of `left`
 */
export async function translateTexts(
  options: TranslatingOptions,
  texts: readonly TextToTranslate[],
  pair: TranslationPair,
  gate: AskGate,
): Promise<TranslationAnswer> {
  const { attempts, usage } = await attemptTexts(options, texts, pair, gate)
  const refused = attempts.flatMap((attempt, at) => {
    return 'faults' in attempt ? [{ at, text: { ...texts[at]!, complaint: gateSentence(attempt.faults) } }] : []
  })
  if (refused.length === 0) return { attempts, usage }
  const retries = refused.map(({ text }) => text)
  const again = await attemptTexts(options, retries, pair, (index, message) => gate(refused[index]!.at, message))
  for (const [index, { at }] of refused.entries()) attempts[at] = again.attempts[index]!
  return { attempts, usage: addUsage(usage, again.usage) }
}

/**
 * Translates texts in order, once: at most `machine.batch`. A text with a complaint is a retry.
 * @throws Failure as `MachineCaller.call` does, the reason of `left`
 */
export async function attemptTexts(
  { caller, machine, answered = new Map(), ...options }: TranslatingOptions,
  texts: readonly TextToTranslate[],
  pair: TranslationPair,
  gate: AskGate,
): Promise<TranslationAnswer> {
  let usage = NO_USAGE
  const call: CallMachine = async paid => {
    const { body } = paid.request
    if (!answered.has(body)) answered.set(body, await caller.call(machine, paid, options))
    const json = answered.get(body)
    usage = addUsage(usage, paid.usageIn(json) ?? paid.most)
    return json
  }
  const attempts: AttemptedTranslation[] = []
  for (const [index, answer] of (await translateBatch(call, machine, texts, pair)).entries()) {
    const faults = 'fault' in answer ? [{ code: answer.fault }] : await gate(index, answer.message)
    attempts.push('message' in answer && faults.length === 0 ? { message: answer.message } : { faults })
  }
  return { attempts, usage }
}

/** Texts in batches for {@link attemptTexts}, each of one request where a text alone does not need several. */
export function inRequests<T extends Pick<TextToTranslate, 'wanted'>>(machine: Machine, texts: readonly T[]): T[][] {
  const most = [machine.batch, ENGINES[machine.kind]?.most ?? Number.POSITIVE_INFINITY, BATCH_CHARACTERS]
  return inBatches(texts, most, ({ wanted }) => [1, wanted.length, charactersOf(wanted)])
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
