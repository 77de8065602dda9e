/** better-auth's own OpenAPI document, cut down to what can be reached over HTTP. */
import { inContext } from './async-context.ts'
import type { BetterAuth } from './better-auth.ts'
import { limitOf } from './routes.ts'

interface Document {
  paths: Record<string, Record<string, { security?: unknown }>>
  components: { schemas: Record<string, unknown>; securitySchemes?: unknown }
}

/**
 * OpenAPI 3.1 with `paths` relative to /api/auth and `components.schemas`. What better-auth says of servers and credentials is left out: it knows
 * neither where it is mounted nor that there are no bearer tokens.
 */
export async function reachableDocument(betterAuth: BetterAuth, oidc: boolean): Promise<Record<string, unknown>> {
  // Loaded here and not at the start, which it would lengthen by a third for a document that few ask for.
  const { openAPI } = await import('better-auth/plugins')
  const context = await betterAuth.$context
  const generate = () => openAPI().endpoints.generateOpenAPISchema({ context } as never)
  const generated = (await inContext(generate)) as unknown as Document
  const paths: Document['paths'] = {}
  for (const [path, operations] of Object.entries(generated.paths)) {
    const reachable = Object.entries(operations).filter(
      ([method]) => limitOf(method.toUpperCase(), path, oidc) !== undefined,
    )
    if (reachable.length === 0) continue
    paths[path] = Object.fromEntries(reachable.map(([method, { security: _, ...operation }]) => [method, operation]))
  }
  return { openapi: '3.1.0', paths, components: { schemas: generated.components.schemas } }
}
