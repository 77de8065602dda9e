/**
 * The page's client is what oazapfts makes of this server's OpenAPI document, with the routes of an OpenID provider
 * and of what is no success with 500 alone, which is shaped as they all are: to the page each is a Problem. `UPDATE=1`
 * writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSource } from 'oazapfts'
import t from 'tap'
import { startServer } from '../contract/server.ts'

const client = join(import.meta.dirname, '../../src/dashboard/api/client.ts')
const env = {
  BASE_URL: 'https://parlance.example.com',
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'parlance',
  OIDC_CLIENT_SECRET: 'never-asked-for',
}

t.test('src/dashboard/api/client.ts is generated from this very API', async t => {
  const server = await startServer(t, { env })
  const document = join(t.testdir(), 'openapi.json')
  const { json } = await server.get('/api/openapi.json')
  for (const operation of Object.values<object>(json.paths).flatMap(path => Object.values(path)))
    for (const status of Object.keys(operation.responses))
      if (status >= '300' && status !== '500') delete operation.responses[status]
  writeFileSync(document, JSON.stringify(json))
  const made = await generateSource(document, { argumentStyle: 'object' })
  if (process.env.UPDATE) writeFileSync(client, made)
  t.ok(readFileSync(client, 'utf8') === made, 'UPDATE=1 node test/dashboard/client.test.ts writes it anew')
})
