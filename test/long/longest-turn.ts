/** Loaded into a server before its own code: at SIGWINCH says the longest turn since the last time, in microseconds. */
import { watchTurns } from './turns.ts'

const { longest } = watchTurns()

process.on('SIGWINCH', async () => {
  process.stdout.write(`longest turn: ${await longest()}\n`)
})
