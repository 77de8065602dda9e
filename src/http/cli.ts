/** `GET /cli`: the developers' command of this very version, as one JavaScript module that Node runs. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { sendEntity } from './answers/conditional.ts'
import { nothingHere } from './answers/errors.ts'
import { buildWith, once } from './build.ts'
import { failures, reading, text } from './requests/shapes.ts'

/** By path: the file in `dist/`, and what it is. */
const FILES = {
  '/cli': {
    file: 'cli.mjs',
    type: 'text/javascript',
    operationId: 'getCommand',
    summary: 'The CLI for developers, as one file for Node 24: `curl -o parlance.mjs …/cli`',
    description: 'Its version is that of the server. The entity tag is its SHA-256, for pipelines that pin it.',
    body: text('A JavaScript module.', '#!/usr/bin/env node\n…'),
  },
  '/cli/parlance.config.schema.json': {
    file: 'parlance.config.schema.json',
    type: 'application/schema+json',
    operationId: 'getConfigSchema',
    summary: 'The JSON Schema of parlance.config.json, for its `$schema`',
    description: 'Editors complete and check the config by it.',
    body: text('A JSON Schema, 2020-12.', '{ "$schema": "https://json-schema.org/draft/2020-12/schema", … }'),
  },
}

/**
 * Adds the routes, open to everybody: they hold what the package on npm holds. The entity tag is the SHA-256 of the
 * file, so that a pipeline can pin what it fetches.
 */
export function cliRoutes(app: FastifyInstance): void {
  for (const [path, { file, type, operationId, summary, description, body }] of Object.entries(FILES)) {
    const { response, headers } = reading(body)
    const schema = {
      tags: ['Server'],
      security: [],
      operationId,
      summary,
      description,
      headers,
      response: { 200: { ...response[200]!, type }, 304: response[304], ...failures('not-found') },
    }
    const loaded = once(() => load(file))
    app.get(path, { schema }, async (_request, reply) => {
      const { bytes, id } = await loaded()
      reply.header('cache-control', 'no-cache')
      sendEntity(reply, id, () => bytes, '', undefined, `${type}; charset=utf-8`)
      return reply
    })
  }
}

/** @throws Failure `not-found` in a checkout that was never built */
async function load(file: string): Promise<{ bytes: Buffer; id: string }> {
  const folder = buildWith(FILES['/cli'].file)
  if (folder === undefined) throw nothingHere()
  const bytes = await readFile(join(folder, file))
  return { bytes, id: createHash('sha256').update(bytes).digest('hex') }
}
