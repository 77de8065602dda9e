/** Anthropic's messages: the model answers by calling a tool, and the input of the tool has the schema. */
import { z } from 'zod'
import type { ChatModel } from '../translate-by-chat.ts'

const TOOL = 'translations'
const tokens = z.int().min(0).nullish()

const Answer = z.object({ content: z.array(z.looseObject({ type: z.string() })) })
const Used = z.object({
  usage: z.object({
    input_tokens: z.int().min(0),
    output_tokens: z.int().min(0),
    cache_creation_input_tokens: tokens,
    cache_read_input_tokens: tokens,
  }),
})

export const anthropic: ChatModel = {
  request: ({ url, key, model }, { system, user, schema, mostOutputTokens }) => ({
    url: `${url}/v1/messages`,
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      ...(key && { 'x-api-key': key() }),
    },
    body: JSON.stringify({
      model,
      system,
      messages: [{ role: 'user', content: user }],
      tools: [{ name: TOOL, description: 'Receives the translations.', input_schema: schema }],
      tool_choice: { type: 'tool', name: TOOL },
      max_tokens: mostOutputTokens,
    }),
  }),
  read: json =>
    Answer.safeParse(json).data?.content.find(({ type, name }) => type === 'tool_use' && name === TOOL)?.input,
  usage(json) {
    const used = Used.safeParse(json).data?.usage
    if (used === undefined) return undefined
    const cached = (used.cache_creation_input_tokens ?? 0) + (used.cache_read_input_tokens ?? 0)
    return { inputTokens: used.input_tokens + cached, outputTokens: used.output_tokens }
  },
}
