/** States of a project as people name them. */

/** A time without an offset. The server refuses it, since only the browser knows its time zone. */
const LOCAL = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(:\d\d)?)$/

/** The state that the API expects for typed words. `2026-11-20 09:30` is a local time; all else stays unchanged. */
export function stateOf(typed: string): string {
  const text = typed.trim()
  const [, day, time] = LOCAL.exec(text) ?? []
  const moment = new Date(`${day}T${time}`)
  if (Number.isNaN(moment.getTime())) return text
  const ahead = -moment.getTimezoneOffset()
  const two = (number: number) => String(Math.trunc(Math.abs(number))).padStart(2, '0')
  return `${day}T${time}${ahead < 0 ? '-' : '+'}${two(ahead / 60)}:${two(ahead % 60)}`
}
