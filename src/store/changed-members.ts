/** Which members a version changed, by the differing lines: spares reading most versions. */
import { isUtf8 } from 'node:buffer'
import { parseJson } from '../bundle/json.ts'
import { FORMS, KINDS, suffix } from '../bundle/message.ts'
import { commonPrefix, commonSuffix } from './objects/delta.ts'

/** Most differing lines that are worth the look. */
const MOST_LINES = 1000
const NEWLINE = 0x0a

/** A line with one text: `"name": "text"`, with or without a comma. */
interface TextLine {
  name: string
  comma: boolean
}

/**
 * The names of members whose texts may differ; undefined when only reading both versions tells. Each key whose message
 * differs has a leaf of one of these names ({@link leafNames}). Needs the same objects and arrays around the same
 * places, so that `before` is a bundle since `after` is one.
 * @param before any bytes
 * @param after a bundle's canonical bytes
 */
export function changedMembers(before: Buffer, after: Buffer): string[] | undefined {
  const [old, now] = differingLines(before, after)
  if (old === undefined || now === undefined) return undefined
  return old.length === now.length ? replaced(old, now) : added(old, now)
}

/** The names a key's leaf may have, however the file nests: `b_one` for key `a.b`, among others. */
export function leafNames(key: string): ReadonlySet<string> {
  const suffixes = ['', ...KINDS.flatMap(kind => FORMS.map(form => suffix(kind, form)))]
  const ends = [key]
  for (let dot = key.indexOf('.'); dot !== -1; dot = key.indexOf('.', dot + 1)) ends.push(key.slice(dot + 1))
  return new Set(ends.flatMap(end => suffixes.map(ending => end + ending)))
}

/** Only the texts of members differ: nothing came, went or moved. */
function replaced(old: string[], now: string[]): string[] | undefined {
  const names = new Set<string>()
  for (const [at, line] of now.entries()) {
    if (line === old[at]) continue
    const [was, is] = [textLine(old[at]!), textLine(line)]
    if (!was || !is || was.name !== is.name || was.comma !== is.comma) return undefined
    names.add(is.name)
  }
  return [...names]
}

/** Texts added to one object, and changed there. Removed lines need reading: they may have made `before` no bundle. */
function added(old: string[], now: string[]): string[] | undefined {
  const [were, are] = [old.map(textLine), now.map(textLine)]
  if (!allThere(were) || !allThere(are)) return undefined
  const names = new Set(are.map(({ name }) => name))
  const ends = old.length === 0 || were.at(-1)!.comma === are.at(-1)?.comma
  const commas = [...were.slice(0, -1), ...(old.length === 0 ? are : are.slice(0, -1))].every(({ comma }) => comma)
  return ends && commas && were.every(({ name }) => names.has(name)) ? [...names] : undefined
}

const allThere = (lines: (TextLine | undefined)[]): lines is TextLine[] => !lines.includes(undefined)

/** The lines between the common start and end. JSON escapes line breaks in texts. */
function differingLines(before: Buffer, after: Buffer): [string[] | undefined, string[] | undefined] {
  const prefix = commonPrefix(before, after)
  const suffix = commonSuffix(before, after, Math.min(before.length, after.length) - prefix)
  const start = prefix === 0 ? 0 : after.lastIndexOf(NEWLINE, prefix - 1) + 1
  const [old, now] = [before, after].map(bytes => {
    const next = bytes.indexOf(NEWLINE, bytes.length - suffix)
    return linesOf(bytes.subarray(start, next < 0 ? bytes.length : next))
  })
  while (old?.length && now?.length && old.at(-1) === now.at(-1)) {
    old.pop()
    now.pop()
  }
  return [old, now]
}

function linesOf(bytes: Buffer): string[] | undefined {
  if (!isUtf8(bytes)) return undefined
  const lines = bytes.toString('utf8').split('\n', MOST_LINES + 1)
  return lines.length <= MOST_LINES ? lines : undefined
}

function textLine(line: string): TextLine | undefined {
  // A quick look, since a throw is slow; white space that JSON forbids is found below.
  if (!line.trimStart().startsWith('"')) return undefined
  const comma = line.endsWith(',')
  try {
    const [[name, value] = ['', undefined], ...more] = Object.entries(
      Object(parseJson(`{${comma ? line.slice(0, -1) : line}}`)),
    )
    return typeof value === 'string' && more.length === 0 ? { name, comma } : undefined
  } catch {
    return undefined
  }
}
