/** Parses JSON (RFC 8259) and avoids a bug of V8 in names with escapes. */

/**
 * JSON.parse. V8 may confuse a name with escapes with a name that it parsed before: `"\""` with `"\\"`, across requests
 * (nodejs/node#63785, in Node 24 and 26). So this replaces names with escapes before it parses.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!text.includes('\\')) return value
  const written = escapedNames(text)
  return written.length === 0 ? value : parseWithout(text, written)
}

interface Written {
  from: number
  to: number
}

/** Where names with escapes stand, with their quotes, in a text that is JSON. */
function escapedNames(text: string): Written[] {
  const names: Written[] = []
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    const from = text.lastIndexOf('"', at)
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    const to = ++at
    while (isSpace(text.charCodeAt(at))) at++
    if (text[at] === ':') names.push({ from, to })
  }
  return names
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

function parseWithout(text: string, written: readonly Written[]): unknown {
  const names = written.map(({ from, to }) => JSON.parse(text.slice(from, to)) as string)
  // Random: a client that could predict the mark could force many more searches.
  let mark: string
  do mark = `\ue000${Math.random()}\ue000`
  while (text.includes(mark) || names.some(name => name.includes(mark)))
  /** The replacement of each name. A name may occur twice. */
  const places = new Map<string, string>()
  const parts: string[] = []
  let done = 0
  for (const [index, { from, to }] of written.entries()) {
    const name = names[index]!
    const place = places.get(name) ?? (needsEscapes(name) ? mark + index : name)
    places.set(name, place)
    parts.push(text.slice(done, from), `"${place}"`)
    done = to
  }
  const meant = new Map(Array.from(places, ([name, place]) => [place, name]))
  return renamed(JSON.parse(parts.join('') + text.slice(done)), meant)
}

const needsEscapes = (name: string): boolean => /["\\\u0000-\u001f]/.test(name)

/** Gives members at any depth their names; not by recursion, which a deep text would break. */
function renamed(value: unknown, meant: ReadonlyMap<string, string>): unknown {
  const top = { value }
  const open: Record<string, unknown>[] = [top]
  for (let node = open.pop(); node; node = open.pop()) {
    for (const [name, below] of Object.entries(node)) {
      if (typeof below !== 'object' || below === null) continue
      let members = below as Record<string, unknown>
      if (!Array.isArray(below) && Object.keys(members).some(key => meant.has(key))) {
        members = Object.fromEntries(Object.entries(members).map(([key, held]) => [meant.get(key) ?? key, held]))
        node[name] = members
      }
      open.push(members)
    }
  }
  return top.value
}
