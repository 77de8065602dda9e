/** New names that would break the nesting of a file: a text where others need an object, or the other way round. */
import { linesOf, type Message, partsOf } from '../../../bundle/message.ts'
import { placeByName } from '../../../bundle/place.ts'

/** A key that is in the way of a new name: above it (`order` of `order.title`), or below it. */
interface Crossing {
  is: 'above' | 'below'
  key: string
}

/** An existing key, with its source message. */
interface Present {
  key: string
  source: Message | undefined
}

/** The names of a key's text and forms: `item`, `item_one`. A key that the source lacks counts as a text. */
export const namesOf = ({ key, source }: Present): string[] =>
  source === undefined ? [key] : linesOf(partsOf(source)).map(([ending]) => key + ending)

/**
 * The first key of a nested namespace that conflicts with new texts and forms. The server would store both, one with
 * a dot in its name. An app that reads `order` as an object would then find a text.
 */
export function crossing(names: readonly string[], present: readonly Present[]): Crossing | undefined {
  const above = new Set(names.flatMap(prefixesOf))
  for (const one of present) {
    for (const name of namesOf(one)) {
      if (above.has(name)) return { is: 'above', key: name }
      if (names.some(made => name.startsWith(`${made}.`) && prefixesOf(name).includes(made))) {
        return { is: 'below', key: one.key }
      }
    }
  }
  return undefined
}

/** The names of the objects that a name nests in. A sentence with dots nests in none. */
function prefixesOf(name: string): string[] {
  const place = placeByName(name)
  return place.slice(1).map((_, at) => place.slice(0, at + 1).join('.'))
}
