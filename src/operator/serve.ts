/** `parlance serve`: builds the server, listens, and closes it when told to stop. */
import { once } from 'node:events'
import { type App, buildApp } from '../app.ts'
import { type Config, oddNames } from '../config.ts'
import type { Call } from './report.ts'

export async function run({ config, report, terminal }: Call): Promise<undefined> {
  // With --json standard output holds one document, so the log goes to standard error.
  const app = await buildApp(config, report.json ? { log: { write: line => void terminal.err(line) } } : {})
  try {
    if (terminal.stop.aborted) return
    for (const sentence of oddNames(terminal.env)) app.log.warn(sentence)
    // Fastify would log each address; one line here is for people.
    app.log.level = 'warn'
    const address = await app.listen({ host: config.host, port: config.port })
    app.log.level = config.logLevel
    const url = config.baseUrl ?? address
    await report.done({
      text: announcement(app, config, url),
      json: { url, dataDir: config.dataDir, hasUsers: app.auth.hasUsers() },
    })
    if (!terminal.stop.aborted) await once(terminal.stop, 'abort')
    await app.farewell()
  } finally {
    await app.close()
  }
}

function announcement(app: App, config: Config, url: string): string {
  const lines = [`Parlance listens on ${url}`, `  data     ${config.dataDir}`, `  API      ${url}/api/docs`]
  if (app.auth.hasUsers()) return lines.join('\n')
  const [first, account] =
    config.signUp === 'closed'
      ? [
          'There are no accounts yet, and nobody may sign up. Make one, and the organization of your projects:',
          `  parlance server user create --email ann@example.com --name Ann --data-dir ${config.dataDir}
  curl -c cookies -H 'content-type: application/json' ${url}/api/auth/sign-in/email \\
    -d '{"email":"ann@example.com","password":"the-one-it-printed"}'`,
        ]
      : [
          `There are no accounts yet. Open ${url} in a browser, which leads to a first text; or, with curl:`,
          `  curl -c cookies -H 'content-type: application/json' ${url}/api/auth/sign-up/email \\
    -d '{"name":"Ann","email":"ann@example.com","password":"choose-a-long-one"}'`,
        ]
  return `${lines.join('\n')}

${first}

${account}
  curl -b cookies -H 'content-type: application/json' ${url}/api/auth/organization/create \\
    -d '{"name":"Acme","slug":"acme"}'

`
}
