/** JSON objects with a long list. */
import { joinBytes } from '../../scheduling/join-bytes.ts'
import { slices } from '../../scheduling/slices.ts'

const [OPEN, COMMA, END] = [Buffer.from('['), Buffer.from(','), Buffer.from(']}')]

/**
 * The JSON of an object with a list as its last member, rendered in slices.
 * @param head the other members @param rows objects, or their JSON in parts
 */
export async function jsonList(head: object, name: string, rows: Iterable<object | Uint8Array[]>): Promise<Buffer> {
  const pause = slices()
  const members = JSON.stringify(head).slice(0, -1)
  const parts: Uint8Array[] = [Buffer.from(`${members}${members === '{' ? '' : ','}${JSON.stringify(name)}:`), OPEN]
  for (const row of rows) {
    if (parts.length > 2) parts.push(COMMA)
    parts.push(...(Array.isArray(row) ? row : [Buffer.from(JSON.stringify(row))]))
    await pause()
  }
  return joinBytes([...parts, END], { pause })
}
