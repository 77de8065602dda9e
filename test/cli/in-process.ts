/** The developers' command in the test's own process: as in its own one, at a tenth of the time. */
import { PassThrough } from 'node:stream'
import { DEVELOPERS } from '../../src/cli/developers.ts'
import { within } from '../../src/cli/process.ts'
import { runProgram } from '../../src/cli/run.ts'
import type { Surroundings } from '../../src/cli/surroundings.ts'
import type { Ended } from './command.ts'

/** What a command finds around it. */
export interface Around {
  env?: Record<string, string>
  /** The typed answers at a terminal; undefined without a terminal. */
  typed?: string[]
  /** Of the terminal. */
  columns?: number
  stop?: AbortSignal
  /** In place of Node's own requests. */
  send?: Surroundings['send']
  /** Called with what standard error and standard output get. */
  said?: (text: string) => void
  /** Called with what questions write to the terminal. */
  shown?: (text: string) => void
}

/** Runs a command to its end. */
export async function command(
  cwd: string,
  words: string[],
  { env = {}, typed, columns, stop, said, send, shown }: Around = {},
): Promise<Ended> {
  const ended: Ended = { code: null, out: '', err: '', json: undefined }
  const isTTY = typed !== undefined
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode() {} })
  const output = Object.assign(new PassThrough(), { isTTY, columns: columns ?? 80, rows: 24 })
  const answers = [...(typed ?? [])]
  output.on('data', data => {
    shown?.(String(data))
    // A question ends by hiding the cursor.
    if (String(data).includes('\u001b[?25l') && answers.length > 0) setImmediate(() => input.write(answers.shift()))
  })
  const streams = { in: input, out: output, err: Object.assign(new PassThrough(), { isTTY: false }) }
  const surroundings = {
    words,
    cwd,
    env: { HOME: cwd, ...env },
    within,
    version: () => '0.0.0',
    out: async (text: string) => {
      ended.out += text
      said?.(text)
    },
    err: async (text: string) => {
      ended.err += text
      said?.(text)
    },
    input: async function* () {},
    streams: streams as unknown as Parameters<typeof runProgram>[0]['streams'],
    stop: stop ?? new AbortController().signal,
    ...(send && { send }),
  }
  ended.code = await runProgram(surroundings, DEVELOPERS)
  try {
    ended.json = JSON.parse(ended.out)
  } catch {}
  return ended
}
