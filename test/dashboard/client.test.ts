/**
 * The page's client is what oazapfts makes of this server's OpenAPI document, with the routes of an OpenID provider.
 * `UPDATE=1` writes it.
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
  writeFileSync(document, (await server.get('/api/openapi.json')).bytes)
  const made = await generateSource(document, { argumentStyle: 'object' })
  if (process.env.UPDATE) writeFileSync(client, made)
  t.ok(readFileSync(client, 'utf8') === made, 'UPDATE=1 node test/dashboard/client.test.ts writes it anew')
})
