/** Reading ahead: begins on the next things while the present one is awaited. */

/**
 * Each thing with its begun work, in order; at most `depth()` wait. The source is asked again when half of them are
 * given, so that work begins in bulk.
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
