/** Reading ahead: begins on the next things while the present one is still awaited. */

/**
 * Each thing with what was begun for it, in order. At most `depth()` are begun and not yet given; the source is asked for no
 * more than that.
 */
export async function* readAhead<T, B>(
  source: AsyncIterable<T>,
  begin: (thing: T) => B,
  depth: () => number,
): AsyncGenerator<[T, B]> {
  const begun: [T, B][] = []
  for await (const thing of source) {
    begun.push([thing, begin(thing)])
    while (begun.length >= depth()) yield begun.shift()!
  }
  yield* begun
}
