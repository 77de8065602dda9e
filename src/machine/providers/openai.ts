/** OpenAI's chat completions, which Azure, Ollama, vLLM, LM Studio and others answer too. */
import { z } from 'zod'
import type { ChatModel } from '../translate-by-chat.ts'

const Answer = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
})
const Used = z.object({ usage: z.object({ prompt_tokens: z.int().min(0), completion_tokens: z.int().min(0) }) })

/** Hosts with a limit of tokens that includes reasoning; others know the older name. */
const COUNTS_REASONING = /^https:\/\/(api\.openai\.com|[^/]+\.openai\.azure\.com)\//
const AZURE = /^https:\/\/[^/]+\.azure\.com\//

export const openai: ChatModel = {
  request({ url, key, model }, { system, user, schema, mostOutputTokens }) {
    const most = COUNTS_REASONING.test(url) ? 'max_completion_tokens' : 'max_tokens'
    return {
      url: `${url}/chat/completions`,
      headers: {
        'content-type': 'application/json',
        ...(key && (AZURE.test(url) ? { 'api-key': key() } : { authorization: `Bearer ${key()}` })),
      },
      body: JSON.stringify({
        model,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
        response_format: { type: 'json_schema', json_schema: { name: 'translations', strict: true, schema } },
        [most]: mostOutputTokens,
      }),
    }
  },
  read: json => Answer.safeParse(json).data?.choices[0]?.message.content,
  usage(json) {
    const used = Used.safeParse(json).data?.usage
    return used && { inputTokens: used.prompt_tokens, outputTokens: used.completion_tokens }
  },
}
