/** The shape of a tool. */
import { z } from 'zod'
import type { ApiCall } from './api-call.ts'

/** What a tool answers: data, and a sentence about it that quotes none of it. */
export interface ToolAnswer {
  says: string
  data: Record<string, unknown>
}

/** A tool of the server. */
export interface Tool {
  name: string
  description: string
  hints: (typeof HINTS)[keyof typeof HINTS]
  input: z.ZodObject
  /** The input, as the list of tools shows it. */
  published: z.ZodObject
  /** @param input arguments that fit `input` */
  run(call: ApiCall, input: unknown): Promise<ToolAnswer>
}

/** What a tool does to texts. The other hints count for tools that write alone. */
const HINTS = {
  reads: { readOnlyHint: true },
  writes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  // It asks a machine translator, and each run may write other texts.
  translates: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
}

/**
 * @param description three sentences at most, then one example
 * @param published less than the input, where the rest is for the answers of the server to say
 */
export function tool<S extends z.ZodObject>(
  name: string,
  does: keyof typeof HINTS,
  description: string,
  input: S,
  run: (call: ApiCall, input: z.output<S>) => Promise<ToolAnswer>,
  published: z.ZodObject = input,
): Tool {
  return { name, description, hints: HINTS[does], input, published, run: run as Tool['run'] }
}

/** The examples in descriptions show what these are. */
export const project = z.string()
export const language = z.string()
export const namespace = z.string()
export const key = z.string()
export const cursor = z.string().optional()

export const withoutZeros = <T>(counts: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))

/** The call that undoes commits, null without any. */
export const undoCall = (project: string, revisions: readonly string[]) =>
  revisions.length === 0 ? null : { tool: 'undo', arguments: { project, revisions } }
