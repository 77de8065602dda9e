/** The texts around a key, which show a translator where it stands. */
import { bundleIn } from '../bundle/canonical.ts'
import { linesOf, type Message, messageOf, partsOf } from '../bundle/message.ts'

/** Keys before and behind the key. */
const EACH_SIDE = 3
/** Characters of a neighbour; a longer one is left out. */
const MOST_CHARACTERS = 300

/** A key of a bundle and its translation. */
interface NeighboursTask {
  source: Uint8Array | null
  target: Uint8Array | null
  key: string
}

/** A text near a key, with its translation where there is one. */
interface Neighbour {
  key: string
  source: Message
  translation?: Message
}

/** In the order of the source's file. */
export function neighboursOf({ source, target, key }: NeighboursTask): Neighbour[] {
  const entries = [...bundleIn(source).tree.entries()]
  const { tree } = bundleIn(target)
  const at = entries.findIndex(entry => entry.key === key)
  const near = entries.slice(Math.max(0, at - EACH_SIDE), at + EACH_SIDE + 1)
  return near.flatMap(entry => {
    const translated = tree.get(entry.key)
    const [text, translation] = [messageOf(entry), translated && messageOf(translated)]
    if (entry.key === key || isBlank(text) || isLong(text) || (translation !== undefined && isLong(translation)))
      return []
    return [{ key: entry.key, source: text, ...(translation !== undefined && { translation }) }]
  })
}

const isBlank = (message: Message) => linesOf(partsOf(message)).every(([, text]) => text.trim() === '')

const isLong = (message: Message) =>
  linesOf(partsOf(message)).reduce((sum, [, text]) => sum + text.length, 0) > MOST_CHARACTERS
