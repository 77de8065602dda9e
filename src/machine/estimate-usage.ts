/** What a machine would use for texts, before it is asked: a rough number for people who decide. */
import type { Machine, MachineUsage } from './machine.ts'

/** Characters of a token, about; fewer in most languages than in English. */
const CHARACTERS_OF_TOKEN = 3
/** Tokens of the instructions in each request, and of what is said about each text. */
const TOKENS = { request: 600, text: 150 }

/** @param characters of all texts and forms to send */
export function estimateUsage({ batch }: Machine, texts: number, characters: number): MachineUsage {
  const tokens = Math.ceil(characters / CHARACTERS_OF_TOKEN)
  const around = Math.ceil(texts / batch) * TOKENS.request + texts * TOKENS.text
  return { characters, inputTokens: tokens + around, outputTokens: 2 * tokens }
}
