/** How long the main thread of a built server is busy without a turn for others. */
import { join } from 'node:path'
import { eventually } from '../contract/server.ts'
import type { BuiltServer } from './built-server.ts'

/** Flags of Node for a server with measured turns. */
export const WATCHING = ['--import', join(import.meta.dirname, 'longest-turn.ts')]

/** The longest turn of the server since the last time, in milliseconds of its processor time. */
export async function longestTurn(server: BuiltServer): Promise<number> {
  const reports = () => [...server.output().matchAll(/^longest turn: (\d+)$/gm)]
  const before = reports().length
  server.signal('SIGWINCH')
  if (!(await eventually(() => reports().length > before)))
    throw new Error('The server did not report its longest turn.')
  return Number(reports().at(-1)![1]) / 1000
}
