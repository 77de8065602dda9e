/** `parlance serve`: builds the server, listens, and closes it on a signal to stop. */
import { once } from 'node:events'
import { destination } from 'pino'
import { type App, type BuildOptions, buildApp } from '../app.ts'
import { CLIENT_VARIABLES } from '../cli/surroundings.ts'
import { type Config, oddNames } from '../config.ts'
import { readableLine } from './log-line.ts'
import type { CommandCall, CommandTerminal } from './report.ts'

export async function run({ config, report, terminal }: CommandCall): Promise<undefined> {
  const { log, written } = logOf(config, report.json, terminal)
  const app = await buildApp(config, { log })
  try {
    if (terminal.stop.aborted) return
    for (const sentence of oddNames(terminal.env, CLIENT_VARIABLES)) app.log.warn(sentence)
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
    app.log.info({ signal: terminal.stop.reason?.cause }, 'stopping: what is in flight is finished first')
    await app.farewell()
  } finally {
    await app.close()
  }
  app.log.info('stopped')
  await written()
}

interface LogTarget {
  log: Required<BuildOptions>['log']
  /** Waits until all lines are written. */
  written(): Promise<unknown>
}

/** Where the log goes. With `--json` standard output holds one document, so that it is standard error. */
function logOf(config: Config, json: boolean, { streams, out, err }: CommandTerminal): LogTarget {
  const isText = config.logFormat === 'text' || (config.logFormat === 'auto' && streams[json ? 'err' : 'out'].isTTY)
  if (!json && !isText) return standardOutput()
  const write = json ? err : out
  return { log: { write: line => void write(isText ? readableLine(line) : line) }, written: () => write('') }
}

/** Nothing is between pino and standard output where lines are many. */
function standardOutput(): LogTarget {
  const log = destination({ dest: 1, sync: false })
  // As when its reader has ended.
  let isBroken = false
  log.on('error', () => {
    isBroken = true
  })
  const written = async () => {
    if (isBroken) return
    const closed = once(log, 'close')
    log.end()
    // Rejects when it breaks now.
    await closed.catch(() => {})
  }
  return { log, written }
}

function announcement(app: App, config: Config, url: string): string {
  const lines = [`Parlance listens on ${url}`, `  data     ${config.dataDir}`, `  API      ${url}/api/docs`]
  if (app.auth.hasUsers()) return lines.join('\n')
  const [first, account] =
    config.signUp === 'closed'
      ? [
          'There are no accounts yet, and sign-up is closed. Create one, and the organization of your projects:',
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
