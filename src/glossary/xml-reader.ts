/** A strict reader of small XML documents: no entities of its own, no external parts. A document type is not read. */
import { Failure } from '../bundle/errors.ts'

/** An element; text of mixed content is joined. Prefixes of names are left out. */
export interface XmlElement {
  name: string
  attributes: ReadonlyMap<string, string>
  children: XmlElement[]
  text: string
}

/** A document type without declarations. TBX of 2008 names its file so. */
const DOCUMENT_TYPE = /<!DOCTYPE\s+[\w.:-]+(?:\s+(?:SYSTEM|PUBLIC)(?:\s+(?:"[^"<>]*"|'[^'<>]*'))+)?\s*>/y
/** Elements inside of a text, which belong to it. */
const INLINE = /^(?:hi|foreign)$/

/** Elements within each other. */
const DEEPEST = 32
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const NAME = /[\p{L}_][\p{L}\p{N}._-]*(?::[\p{L}_][\p{L}\p{N}._-]*)?/uy
const ATTRIBUTE = /\s+([\p{L}_][\p{L}\p{N}._:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/uy

/** The root element. @throws Failure `unfit` naming line and column */
export function readXml(source: string): XmlElement {
  const xml = source.replace(/^\ufeff/, '')
  const fail = (at: number, fault: string): never => {
    const before = xml.slice(0, at).split('\n')
    throw new Failure('unfit', `Line ${before.length}, column ${before.at(-1)!.length + 1} of the XML: ${fault}.`)
  }
  const decode = (text: string, from: number): string =>
    text.replace(/&([^;&<]{0,12});?/g, (whole, name: string, at: number) => {
      const code = /^#(?:x([0-9a-fA-F]+)|(\d+))$/.exec(name)
      const point = code ? Number.parseInt(code[1] ?? code[2]!, code[1] ? 16 : 10) : undefined
      const isCharacter = point !== undefined && point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point < 0xe000)
      if (whole.endsWith(';') && isCharacter) return String.fromCodePoint(point)
      if (whole.endsWith(';') && Object.hasOwn(ENTITIES, name)) return ENTITIES[name]!
      return fail(from + at, `the entity ${JSON.stringify(whole)} is unknown`)
    })
  const open: XmlElement[] = []
  let root: XmlElement | undefined
  let at = 0
  const addText = (text: string, from: number) => {
    const into = open.at(-1)
    if (into) into.text += text
    else if (text.trim() !== '') fail(from, 'text outside of the root element')
  }
  /** The end of a part that begins at `at`. */
  const endOf = (end: string, what: string): number => {
    const found = xml.indexOf(end, at)
    return found === -1 ? fail(at, `${what} does not end`) : found
  }
  const match = (pattern: RegExp, from: number): RegExpExecArray | null => {
    pattern.lastIndex = from
    return pattern.exec(xml)
  }
  while (at < xml.length) {
    if (xml[at] !== '<') {
      const end = xml.indexOf('<', at)
      const text = xml.slice(at, end === -1 ? xml.length : end)
      addText(decode(text, at), at)
      at += text.length
    } else if (xml.startsWith('<!--', at)) at = endOf('-->', 'a comment') + 3
    else if (xml.startsWith('<![CDATA[', at)) {
      const end = endOf(']]>', 'a CDATA section')
      addText(xml.slice(at + 9, end), at)
      at = end + 3
    } else if (xml.startsWith('<?', at)) at = endOf('?>', 'an instruction') + 2
    else if (xml.startsWith('<!', at)) {
      const type = root || open.length > 0 ? null : match(DOCUMENT_TYPE, at)
      at += type?.[0].length ?? fail(at, 'a document type with declarations is not accepted: remove it')
    } else if (xml.startsWith('</', at)) {
      const end = endOf('>', 'a tag')
      const name = xml.slice(at + 2, end).trim()
      const closed = open.pop()
      if (closed?.name !== localName(name)) fail(at, `</${name.slice(0, 40)}> closes no open element of that name`)
      if (closed && INLINE.test(closed.name)) addText(closed.text, at)
      at = end + 1
    } else {
      const name = match(NAME, at + 1)?.[0] ?? fail(at, 'a tag without a name')
      const element = { name: localName(name), attributes: new Map<string, string>(), children: [], text: '' }
      let next = at + 1 + name.length
      for (let found = match(ATTRIBUTE, next); found; found = match(ATTRIBUTE, next)) {
        const [whole, key, double, single] = found
        if (element.attributes.has(key!)) fail(next, `the attribute ${key} stands twice`)
        element.attributes.set(key!, decode(double ?? single ?? '', next))
        next += whole.length
      }
      const end = match(/\s*(\/?)>/y, next) ?? fail(next, 'an attribute is not valid, or the tag does not end')
      const into = open.at(-1)
      if (into) into.children.push(element)
      else if (root) fail(at, 'a second root element')
      else root = element
      if (end[1] === '') open.push(element)
      if (open.length > DEEPEST) fail(at, `more than ${DEEPEST} elements within each other`)
      at = next + end[0].length
    }
  }
  if (open.length > 0) fail(at, `<${open.at(-1)!.name}> does not end`)
  return root ?? fail(0, 'it is empty')
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)
