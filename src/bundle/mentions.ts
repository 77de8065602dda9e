/** Who a text mentions: `@` and the name of a member, in any case. */

/** A member as mentions know them. */
interface NamedMember {
  id: string
  name: string
}

/** Letters of scripts without spaces between words, and of Korean, where particles join a name. */
const UNSPACED = '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]'
/** Not part of a longer word, such as an e-mail address. */
const MENTION = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}._%+-])@|(?<=${UNSPACED})@`, 'gu')
/** Between a name and a letter that goes on with its word. */
const IN_WORD = new RegExp(`(?<!${UNSPACED})(?!${UNSPACED})[\\p{L}\\p{M}\\p{N}]`, 'uy')

/**
 * The ids of the mentioned members, each once, in the order of the text. The longest name that fits counts, and all
 * members of that name. The first word of a name is enough where one member alone has it.
 */
export function mentionsIn(text: string, members: readonly NamedMember[]): string[] {
  return [...mentionedBy(handlesOf(members), text)]
}

function mentionedBy({ byName, lengths }: Handles, text: string): Set<string> {
  const names = new Set<string>()
  for (const { index } of text.matchAll(MENTION)) {
    const rest = folded(text.slice(index + 1, index + 1 + LONGEST))
    const length = lengths.find(length => byName.has(rest.slice(0, length)) && !isInWord(rest, length))
    if (length !== undefined) names.add(rest.slice(0, length))
  }
  return new Set([...names].flatMap(name => byName.get(name)!))
}

function isInWord(text: string, at: number): boolean {
  IN_WORD.lastIndex = at
  return IN_WORD.test(text)
}

/** Whether texts mention one member. Handles that differ in the first word cannot match where this member's do. */
export function mentionsOf(id: string, members: readonly NamedMember[]): (text: string) => boolean {
  const first = firstWord(members.find(member => member.id === id)?.name ?? '')
  if (first === '') return () => false
  const rivals = members.filter(({ name }) => firstWord(name).startsWith(first))
  const handles = handlesOf(rivals)
  return text => {
    if (!text.includes('@') || !folded(text).includes(`@${first}`)) return false
    return mentionedBy(handles, text).has(id)
  }
}

/** Characters after the `@` that are compared: the name of a user has at most 100, and one more shows its end. */
const LONGEST = 250

/** Names and first words with the members that they mean, and the lengths of these, the greatest first. */
interface Handles {
  byName: ReadonlyMap<string, readonly string[]>
  lengths: readonly number[]
}

function handlesOf(members: readonly NamedMember[]): Handles {
  const [byName, byFirst] = [new Map<string, string[]>(), new Map<string, string[]>()]
  const add = (to: Map<string, string[]>, name: string, id: string) => {
    const ids = to.get(name)
    if (ids) ids.push(id)
    else to.set(name, [id])
  }
  for (const { id, name } of members) {
    const whole = folded(name.trim())
    if (whole === '') continue
    add(byName, whole, id)
    add(byFirst, firstWord(whole), id)
  }
  for (const [first, ids] of byFirst) if (ids.length === 1 && !byName.has(first)) byName.set(first, ids)
  const lengths = new Set([...byName.keys()].map(name => name.length))
  return { byName, lengths: [...lengths].sort((a, b) => b - a) }
}

const firstWord = (name: string): string => folded(name.trim()).split(/\s/u)[0]!

const folded = (text: string): string => text.normalize('NFC').toLowerCase()
