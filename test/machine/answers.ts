/** Requests and answers of each kind of machine. */
import type { MachineKind } from '../../src/machine/machine.ts'
import { openaiAnswer, type ReceivedRequest } from './fake-machine.ts'

/** What a machine was asked to translate. */
export function textsIn(kind: MachineKind, { json, body }: ReceivedRequest): string[] {
  if (kind === 'apertium') return [new URLSearchParams(body).get('q')!]
  if (kind === 'deepl') return json.text
  if (kind === 'google' || kind === 'libretranslate') return json.q
  const user = json.messages.at(-1).content
  return Object.values(JSON.parse(user).texts).map(text => (text as { source: string }).source)
}

/** Answers of a chat model in the wrapping of Anthropic. */
export const anthropicAnswer = (input: unknown) => ({
  content: [{ type: 'tool_use', id: 'x', name: 'translations', input }],
  usage: { input_tokens: 10, output_tokens: 10 },
})

/** An answer of the kind with these texts. */
export function answerOf(kind: MachineKind, texts: readonly string[]): unknown {
  const byNumber = Object.fromEntries(texts.map((text, at) => [at, { text }]))
  const answers: Record<MachineKind, () => unknown> = {
    openai: () => openaiAnswer(byNumber),
    anthropic: () => anthropicAnswer(byNumber),
    deepl: () => ({ translations: texts.map(text => ({ detected_source_language: 'EN', text })) }),
    google: () => ({ data: { translations: texts.map(translatedText => ({ translatedText })) } }),
    libretranslate: () => ({ translatedText: texts }),
    apertium: () => ({ responseData: { translatedText: texts[0] }, responseDetails: null, responseStatus: 200 }),
  }
  return answers[kind]()
}
