/** The context of a command: its process, its terminal, its settings and the server. */
import type { Api } from './api/client.ts'
import type { Settings } from './config/settings.ts'
import { usage } from './problem.ts'
import type { Globals, Surroundings } from './surroundings.ts'
import { type Ask, makeAsk } from './terminal/ask.ts'
import { coloured, makeStyle, printable, type Style } from './terminal/printable.ts'
import { type Progress, startProgress } from './terminal/progress.ts'

export interface Context extends Surroundings {
  /** The given options that all commands have. */
  globals: Globals
  /** `--json`: exactly one JSON document on standard output, errors are `{ "error": … }`. */
  json: boolean
  /**
   * Prints a result: with `--json` the document, else the text with a line break at its end.
   */
  print(document: object, text: () => string): Promise<void>
  terminal: {
    /** Whether questions are possible: standard input and output are terminals, without `CI` and `--json`. */
    interactive: boolean
    /** Columns of standard output; 80 without a terminal. */
    columns: number
    style: Style
  }
  /** Shows progress on standard error, if that is a terminal and without `--json`. */
  progress(label: string): Progress
  ask: Ask
  /** The settings, read once. @throws Problem (exit 2) for a wrong one */
  settings(): Promise<Settings>
  /** The slug of the project. @throws Problem (exit 2) without one */
  project(): Promise<string>
  /** The server. @throws Problem (exit 2) without an address or a token, or for an unconfirmed server */
  api(): Promise<Api>
}

/** A command. It returns the exit code; undefined is 0. `O` has its options by their long names in camel case. */
export type Run<O = Record<string, never>> = (
  context: Context,
  options: O,
  operands: string[],
  // biome-ignore lint/suspicious/noConfusingVoidType: a command that has nothing to say returns nothing
) => Promise<0 | 1 | 2 | undefined | void>

export function makeContext(surroundings: Surroundings, globals: Globals): Context {
  const { env, streams } = surroundings
  const json = globals.json === true
  // Standard input is checked last: it is the slowest to open.
  const interactive = !json && !isSet(env.CI) && streams.out.isTTY === true && streams.in.isTTY === true
  let settings: Promise<Settings> | undefined
  let api: Promise<Api> | undefined
  const context: Context = {
    ...surroundings,
    globals,
    json,
    // Also in a pipe: logs of CI are shown on terminals.
    out: text => surroundings.out(coloured(text)),
    err: text => surroundings.err(coloured(text)),
    async print(document, text) {
      if (json) return surroundings.out(`${printable(JSON.stringify(document, null, 2))}\n`)
      const words = text()
      await context.out(words === '' || words.endsWith('\n') ? words : `${words}\n`)
    },
    terminal: { interactive, columns: (streams.out.isTTY && streams.out.columns) || 80, style: makeStyle(streams.out) },
    progress: label => startProgress(streams.err.isTTY && !json && !isSet(env.CI) ? streams.err : undefined, label),
    ask: makeAsk(() =>
      interactive ? { input: streams.in, output: streams.out, signal: surroundings.stop } : undefined,
    ),
    settings: () =>
      (settings ??= import('./config/settings.ts').then(({ readSettings }) => readSettings(surroundings, globals))),
    async project() {
      const { project } = await context.settings()
      if (project.value !== undefined) return project.value
      throw usage('Which project?', {
        hint: 'Give --project <slug>, set PARLANCE_PROJECT, or run `parlance init` in the folder of the app.',
      })
    },
    api: () => (api ??= openTrusted(context)),
  }
  return context
}

/** A stored token belongs to its server. The token of the environment needs a trusted server. */
async function openTrusted(context: Context): Promise<Api> {
  const [settings, { openApi }] = await Promise.all([context.settings(), import('./api/client.ts')])
  const api = openApi(context, settings)
  const { TOKEN_VARIABLE } = await import('./config/settings.ts')
  if (settings.token.origin !== TOKEN_VARIABLE) return api
  const { needTrustedServer } = await import('./config/trusted-server.ts')
  await needTrustedServer(context, settings, TOKEN_VARIABLE)
  return api
}

/** `CI=false` and `CI=0` count as unset, as in the usual packages. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase())
}
