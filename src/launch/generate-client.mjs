/** A program: `generate-client.mjs <clone>` writes the API client of the dashboard with oazapfts. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateSource } from 'oazapfts'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'

/** Tags of operations that no first visit asks for. */
const LATE = [
  'Comments',
  'Glossary',
  'Inbox',
  'Machines',
  'Marks',
  'Memory',
  'Notes',
  'Releases',
  'Rights',
  'Suggestions',
]
/** A client is loaded whole. */
const CLIENTS = {
  'client.ts': { exclude: LATE },
  'late-client.ts': { include: LATE },
}

const [root] = process.argv.slice(2)
const at = (...parts) => join(root, ...parts)

/** An OpenID provider adds routes to the document. This server never connects to it. */
const settings = {
  LOG_LEVEL: 'silent',
  BASE_URL: 'https://parlance.example.com',
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'parlance',
  OIDC_CLIENT_SECRET: 'unused',
}

const dataDir = mkdtempSync(join(tmpdir(), 'parlance-routes-'))
const document = at(`dist/dashboard-api.json.${process.pid}.tmp`)
try {
  const app = await buildApp(readConfig({ ...settings, DATA_DIR: dataDir }))
  const { body } = await app.inject('/api/openapi.json')
  await app.close()
  mkdirSync(at('dist'), { recursive: true })
  writeFileSync(document, JSON.stringify(withoutFailures(JSON.parse(body))))
  for (const [name, tags] of Object.entries(CLIENTS)) {
    const client = at('src/dashboard/api', name)
    const source = withSharedRuntime(name, await generateSource(document, { argumentStyle: 'object', ...tags }))
    // Does not touch an equal client: a newer file would rebuild the dashboard.
    if (!existsSync(client) || readFileSync(client, 'utf8') !== source) replace(client, source)
  }
  renameSync(document, at('dist/dashboard-api.json'))
} finally {
  rmSync(dataDir, { recursive: true, force: true })
  rmSync(document, { force: true })
}

/** Every failure has the shape of 500. The dashboard reads each of them as a `Problem`. */
function withoutFailures(document) {
  for (const { responses } of Object.values(document.paths).flatMap(path => Object.values(path)))
    for (const status of Object.keys(responses)) if (status >= '300' && status !== '500') delete responses[status]
  return document
}

/** All clients use the address and `fetch` that are set for the first one. */
function withSharedRuntime(name, source) {
  const own = /^export const defaults[\s\S]*?^const oazapfts = .*$\n^export const servers = [\s\S]*?^};$/m
  if (name === 'client.ts') return source
  if (!own.test(source)) throw new Error('The code that oazapfts generates has changed: see withSharedRuntime.')
  return source.replace(own, 'import { defaults } from "./client.ts";\nconst oazapfts = Oazapfts.runtime(defaults);')
}

function replace(path, content) {
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, content)
  renameSync(temporary, path)
}
