/** Reading ahead: begins on the next things while the present one is still awaited. */

/**
 * Each thing with what was begun for it, in order. At most `depth()` are begun and not yet given; the source is asked for no
 * more than that, and again when half of them are given, so that what is begun comes in bulk.
 */
export async function* readAhead<T, B>(
  source: AsyncIterable<T>,
  begin: (thing: T) => B,
  depth: () => number,
): AsyncGenerator<[T, B]> {
  const begun: [T, B][] = []
  for await (const thing of source) {
    begun.push([thing, begin(thing)])
    const most = depth()
    if (begun.length >= most) while (begun.length > most / 2) yield begun.shift()!
  }
  yield* begun
}
