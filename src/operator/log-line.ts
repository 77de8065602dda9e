/** Lines of the log as people read them. */
import { oneLine } from '../cli/terminal/printable.ts'

/** pino's levels, in words of one length. */
const LEVELS: Record<number, string> = { 10: 'trace', 20: 'debug', 30: 'info ', 40: 'warn ', 50: 'error', 60: 'fatal' }
/** Members without a `name=value`: pino's own, and those with a place of their own. */
const PLACED = ['level', 'time', 'pid', 'hostname', 'msg', 'err']

/**
 * One line of pino's JSON as `2026-11-26 19:46:09 warn  sentence  name=value …`, in local time. The stack of an error
 * follows on lines of its own.
 */
export function readableLine(line: string): string {
  const { level, time, msg = '', err, ...members } = JSON.parse(line)
  const values = Object.entries(members)
    .filter(([name, value]) => !PLACED.includes(name) && value !== null)
    .map(
      ([name, value]) =>
        `${name}=${typeof value === 'string' && /^[\w./:-]+$/.test(value) ? value : JSON.stringify(value)}`,
    )
  const first = [`${localTime(new Date(time))} ${LEVELS[level] ?? level} ${msg}`, ...values].join('  ')
  const stack: string[] = err === undefined ? [] : String(err.stack ?? err.message).split('\n')
  return `${[oneLine(first), ...stack.map(part => `    ${oneLine(part)}`)].join('\n')}\n`
}

function localTime(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`
}
