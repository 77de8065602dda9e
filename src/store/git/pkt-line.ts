/** git's framing on the wire (gitprotocol-common(5)), checked first: some requests make git abort. */

const LONGEST = 65_520

/** A line of data as git frames it. */
export const packet = (line: string): Buffer => Buffer.from((line.length + 4).toString(16).padStart(4, '0') + line)

/** Whether a request is whole pkt-lines: data, flushes, delimiters, but no end of a response (`0002`). */
export function arePktLines(request: Buffer): boolean {
  let at = 0
  while (at < request.length) {
    const digits = request.toString('latin1', at, at + 4)
    if (!/^[0-9a-f]{4}$/i.test(digits)) return false
    const length = Number.parseInt(digits, 16)
    if (length === 2 || length === 3 || length > LONGEST) return false
    at += Math.max(4, length)
  }
  return at > 0 && at === request.length
}
