/** All tools, in the order of the list. */
import { z } from 'zod'
import { GUIDE_TOOL } from './guide-tool.ts'
import { READ_TOOLS } from './read-tools.ts'
import type { Tool } from './tool.ts'
import { TRANSLATE_TOOL } from './translate-tool.ts'
import { WRITE_TOOLS } from './write-tools.ts'

/** By name. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  [GUIDE_TOOL, ...READ_TOOLS, ...WRITE_TOOLS, TRANSLATE_TOOL].map(tool => [tool.name, tool]),
)

/** Bounds, which the refusal of a request names: each byte of the list costs every session of an agent. */
const UNPUBLISHED = ['minItems', 'minLength', 'maxLength', 'minimum', 'maximum', 'propertyNames']

/** The answer to `tools/list`: equal on every server of a version. */
export const TOOL_LIST = [...TOOLS.values()].map(({ name, description, hints, published }) => {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(published, {
    override: ({ jsonSchema }) => {
      for (const bound of UNPUBLISHED) delete jsonSchema[bound]
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return { name, description, inputSchema: inputSchema as { type: 'object' }, annotations: hints }
})
