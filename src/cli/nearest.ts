/** The most similar word to an unknown one. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const typed = bare(word)
  const near = words.map(other => ({
    other,
    distance: bare(other).startsWith(typed) ? 1 : distanceOf(typed, bare(other)),
  }))
  const [best] = near.sort((a, b) => a.distance - b.distance)
  return best && best.distance <= Math.min(3, bare(best.other).length / 2) ? best.other : undefined
}

const bare = (word: string) => word.replace(/^-+/, '').toLowerCase()

/** The optimal string alignment distance. */
function distanceOf(a: string, b: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = Number(a[i - 1] !== b[j - 1])
      row[j] = Math.min(last![j]! + 1, row[j - 1]! + 1, last![j - 1]! + cost)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwapped) row[j] = Math.min(row[j]!, before![j - 2]! + 1)
    }
    ;[before, last] = [last!, row]
  }
  return last![b.length]!
}
