/** The process: reads the settings, builds the server, listens, and closes it on a signal. The only file that touches `process`. */
import { type App, buildApp } from './app.ts'
import { Failure } from './bundle/errors.ts'
import { type Config, describeSettings, readConfig } from './config.ts'

const usage = `Parlance keeps the translations of an organization's apps: i18next bundles over HTTP, every write a git commit.

Usage: node dist/main.js [serve] [--help]

Settings, from the environment:
${describeSettings()}
`

const [command = 'serve', ...rest] = process.argv.slice(2)
const words = [command, ...rest]
if (words.includes('--help') || words.includes('-h')) console.log(usage)
else if (command !== 'serve' || rest.length > 0) fail(`There is no such command: ${words.join(' ')}. Try --help.`)
else await serve().catch((error: unknown) => fail(sentenceOf(error)))

async function serve(): Promise<void> {
  const config = readConfig(process.env)
  const app = await buildApp(config)
  closeOnSignal(app)
  // Fastify would log each address; what announce() prints says it once, for people.
  app.log.level = 'warn'
  const address = await app.listen({ host: config.host, port: config.port }).catch(async (error: unknown) => {
    await app.close()
    throw error
  })
  app.log.level = config.logLevel
  announce(app, config, config.baseUrl ?? address)
}

function announce(app: App, config: Config, url: string): void {
  console.log(`Parlance listens on ${url}`)
  console.log(`  data     ${config.dataDir}`)
  console.log(`  API      ${url}/api/docs`)
  if (app.auth.hasUsers()) return
  console.log(`
There are no accounts yet. Make the first one, and the organization that your projects will belong to:

  curl -c cookies -H 'content-type: application/json' ${url}/api/auth/sign-up/email \\
    -d '{"name":"Ann","email":"ann@example.com","password":"choose-a-long-one"}'
  curl -b cookies -H 'content-type: application/json' ${url}/api/auth/organization/create \\
    -d '{"name":"Acme","slug":"acme"}'
`)
}

/** The first signal lets what is in flight finish; the second does not wait. */
function closeOnSignal(app: App): void {
  let closing = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (closing) process.exit(1)
      closing = true
      app.close().then(
        () => process.exit(0),
        (error: unknown) => fail(sentenceOf(error)),
      )
    })
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof Failure) return error.message
  const { code, message, address, port, path } = error as NodeJS.ErrnoException & { address?: string; port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is in use: stop what listens there, or set PORT.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'HOST is no address of this machine.'
  if (code === 'EACCES' && port !== undefined) return `Port ${port} may not be used without more rights: set PORT.`
  if (code && path) return `${path} cannot be used (${code}): check DATA_DIR and its rights.`
  return message
}

function fail(sentence: string): never {
  console.error(`Parlance did not start: ${sentence}`)
  process.exit(1)
}
