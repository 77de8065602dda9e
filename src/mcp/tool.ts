/** The shape of a tool. */
import { z } from 'zod'
import type { ApiCall } from './api-call.ts'

/** What a tool answers: data, and a sentence about it that quotes none of it. */
export interface ToolAnswer {
  says: string
  data: Record<string, unknown>
}

/** Hints for clients, by the names of the protocol. */
interface ToolHints {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** A tool of the server. */
export interface Tool {
  name: string
  description: string
  hints: ToolHints
  input: z.ZodObject
  /** @param input arguments that fit `input` */
  run(call: ApiCall, input: unknown): Promise<ToolAnswer>
}

/** What a tool does to texts. */
const HINTS = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  writes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  // It asks a machine translator, and each run may write other texts.
  translates: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
}

/** @param description two sentences at most, then one example */
export function tool<S extends z.ZodObject>(
  name: string,
  does: keyof typeof HINTS,
  description: string,
  input: S,
  run: (call: ApiCall, input: z.output<S>) => Promise<ToolAnswer>,
): Tool {
  return { name, description, hints: HINTS[does], input, run: run as Tool['run'] }
}

export const project = z.string().describe('Slug of the project.')
export const language = z.string().describe('Such as de or pt-BR.')
export const namespace = z.string()
export const key = z.string().describe('A plural is named by its base: item, not item_one.')
export const cursor = z.string().optional().describe('The `next` of the answer before.')
