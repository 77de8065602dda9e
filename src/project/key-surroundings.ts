/** What stands around keys of a bundle: their notes, and the texts near them. */
import { bundleIn } from '../bundle/canonical.ts'
import { linesOf, type Message, messageOf, partsOf } from '../bundle/message.ts'
import type { Note } from '../bundle/note.ts'
import { notesIn } from './sidecars/notes-file.ts'

/** Keys before and behind the key. */
const EACH_SIDE = 3
/** Characters of a neighbour; a longer one is left out. */
const MOST_CHARACTERS = 300

/** Keys of a bundle and its translation. */
interface KeySurroundingsTask {
  source: Uint8Array | null
  target: Uint8Array | null
  notes: Uint8Array | null
  keys: readonly string[]
}

/** A text near a key, with its translation where there is one. */
interface Neighbour {
  key: string
  source: Message
  translation?: Message
}

/** What stands around a key; neighbours are in the order of the source's file. */
interface KeySurroundings {
  note: Note | null
  neighbours: Neighbour[]
}

export function keySurroundings({ source, target, notes, keys }: KeySurroundingsTask): KeySurroundings[] {
  const entries = [...bundleIn(source).tree.entries()]
  const places = new Map(entries.map(({ key }, at) => [key, at]))
  const { tree } = bundleIn(target)
  const known = notesIn(notes)
  return keys.map(key => {
    const at = places.get(key) ?? -1
    const near = entries.slice(Math.max(0, at - EACH_SIDE), at + EACH_SIDE + 1)
    const neighbours = near.flatMap(entry => {
      const translated = tree.get(entry.key)
      const [text, translation] = [messageOf(entry), translated && messageOf(translated)]
      if (entry.key === key || isBlank(text) || isLong(text) || (translation !== undefined && isLong(translation)))
        return []
      return [{ key: entry.key, source: text, ...(translation !== undefined && { translation }) }]
    })
    return { note: known.get(key) ?? null, neighbours }
  })
}

const isBlank = (message: Message) => linesOf(partsOf(message)).every(([, text]) => text.trim() === '')

const isLong = (message: Message) =>
  linesOf(partsOf(message)).reduce((sum, [, text]) => sum + text.length, 0) > MOST_CHARACTERS
