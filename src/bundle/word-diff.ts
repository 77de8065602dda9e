/**
 * Compares two texts word by word. Unicode (UAX 29) and ICU's dictionaries of CJK, Thai, Khmer, Lao and Burmese define
 * the words.
 */

/** A run of words of both texts, of the earlier one alone, or of the later one alone. */
export interface Piece {
  is: 'same' | 'removed' | 'added'
  text: string
}

/** Parts that count as one word: i18next's interpolations and nestings, and tags. */
const PLACEHOLDER = /\{\{[^{}]*\}\}|\$t\([^()]*\)|<\/?[\w.:-]+(?:\s[^<>]*)?\/?>/g

/** Most cells of the table of a comparison; beyond it the texts differ as wholes. */
const MOST_CELLS = 2 ** 22

/**
 * The pieces in order; of a change what was removed comes first. Joining the same and the removed gives `was`, the same
 * and the added `is`.
 * @param language BCP 47, of the texts
 */
export function wordDiff(was: string, is: string, language?: string): Piece[] {
  const [old, young] = [wordsOf(was, language), wordsOf(is, language)]
  let start = 0
  while (start < Math.min(old.length, young.length) && old[start] === young[start]) start++
  let end = 0
  while (end < Math.min(old.length, young.length) - start && old.at(-1 - end) === young.at(-1 - end)) end++
  const inner = [old, young].map(words => words.slice(start, words.length - end)) as [string[], string[]]
  const pieces = new Pieces()
  pieces.add('same', old.slice(0, start).join(''))
  if (inner[0].length * inner[1].length > MOST_CELLS) {
    pieces.add('removed', inner[0].join(''))
    pieces.add('added', inner[1].join(''))
  } else compare(...inner, pieces)
  pieces.add('same', old.slice(old.length - end).join(''))
  return pieces.done()
}

const segmenters = new Map<string, Intl.Segmenter>()

function wordsOf(text: string, language = ''): string[] {
  let segmenter = segmenters.get(language)
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language === '' ? undefined : language, { granularity: 'word' })
    segmenters.set(language, segmenter)
  }
  const words: string[] = []
  const split = (part: string) => {
    if (part !== '') for (const { segment } of segmenter.segment(part)) words.push(segment)
  }
  let from = 0
  for (const found of text.matchAll(PLACEHOLDER)) {
    split(text.slice(from, found.index))
    words.push(found[0])
    from = found.index + found[0].length
  }
  split(text.slice(from))
  return words
}

/** By the longest common subsequence. A word counts for more than the spaces around it. */
function compare(old: string[], young: string[], pieces: Pieces): void {
  const width = young.length + 1
  const longest = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--) {
    const weight = old[i]!.trim() === '' ? 1 : 3
    for (let j = young.length - 1; j >= 0; j--) {
      const at = i * width + j
      const one = Math.max(longest[at + width]!, longest[at + 1]!)
      longest[at] = old[i] === young[j] ? Math.max(one, longest[at + width + 1]! + weight) : one
    }
  }
  let [i, j] = [0, 0]
  while (i < old.length || j < young.length) {
    if (i < old.length && j < young.length && old[i] === young[j]) {
      pieces.add('same', old[i]!)
      i++
      j++
    } else if (j === young.length || (i < old.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) {
      pieces.add('removed', old[i++]!)
    } else pieces.add('added', young[j++]!)
  }
}

/** Runs of words. A change includes the spaces up to the next change, since separate words are hard to read. */
class Pieces {
  readonly #all: Piece[] = []
  #removed = ''
  #added = ''
  /** Spaces behind a change, which are its own when another one follows. */
  #spaces = ''

  add(is: Piece['is'], text: string): void {
    if (text === '') return
    const changing = this.#removed !== '' || this.#added !== ''
    if (is !== 'same') {
      this.#removed += this.#spaces + (is === 'removed' ? text : '')
      this.#added += this.#spaces + (is === 'added' ? text : '')
      this.#spaces = ''
    } else if (changing && text.trim() === '') this.#spaces += text
    else {
      const spaces = this.#flush()
      const last = this.#all.at(-1)
      if (last?.is === 'same') last.text += spaces + text
      else this.#all.push({ is, text: spaces + text })
    }
  }

  done(): Piece[] {
    const spaces = this.#flush()
    if (spaces !== '') this.#all.push({ is: 'same', text: spaces })
    return this.#all
  }

  /** Ends a change. @returns the spaces that both have behind it */
  #flush(): string {
    let [removed, added] = [this.#removed, this.#added]
    let shared = ''
    while (removed !== '' && removed.at(-1) === added.at(-1) && removed.at(-1)!.trim() === '') {
      shared = removed.at(-1) + shared
      removed = removed.slice(0, -1)
      added = added.slice(0, -1)
    }
    if (removed !== '') this.#all.push({ is: 'removed', text: removed })
    if (added !== '') this.#all.push({ is: 'added', text: added })
    const spaces = shared + this.#spaces
    this.#removed = this.#added = this.#spaces = ''
    return spaces
  }
}
