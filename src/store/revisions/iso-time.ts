/** Callers' times (ISO 8601, in RFC 3339's profile and a little more) as seconds since 1970. */
import { Failure } from '../../bundle/errors.ts'

const DATE = /^(\d{4})-(\d\d)-(\d\d)/
// A query's plus that was not percent-encoded arrives as a space.
const TIME = /^T(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?:(Z)|([+ -])(\d\d)(?::?(\d\d))?)?$/i

/**
 * The second of a time: a date alone (`2026-11-20`) is its first, in UTC; a time of day needs `Z` or an offset.
 * @returns undefined for a text that is no such time
 * @throws Failure `invalid` for an impossible date or time, and a time of day without an offset
 */
export function parseTime(text: string): number | undefined {
  const date = DATE.exec(text)
  const rest = text.slice(10)
  const time = TIME.exec(rest)
  if (date === null || (rest !== '' && time === null)) return undefined
  const [year, month, day] = date.slice(1).map(Number) as [number, number, number]
  const [hour, minute, second] = [time?.[1], time?.[2], time?.[3]].map(part => Number(part ?? 0)) as [
    number,
    number,
    number,
  ]
  const [offsetHours, offsetMinutes] = [Number(time?.[6] ?? 0), Number(time?.[7] ?? 0)]
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, month - 1, day)
  const exists = midnight.getUTCMonth() === month - 1 && midnight.getUTCDate() === day
  if (!exists || hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) {
    throw new Failure('invalid', `There is no such time as ${JSON.stringify(text)}.`)
  }
  if (time && !time[4] && !time[5]) {
    throw new Failure(
      'invalid',
      `The time ${JSON.stringify(text)} could be anywhere: end it with Z or an offset such as +02:00.`,
    )
  }
  const east = time?.[5] === '-' ? -1 : 1
  const offset = east * (offsetHours * 60 + offsetMinutes) * 60
  return midnight.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset
}
