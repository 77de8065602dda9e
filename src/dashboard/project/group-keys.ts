/** Many keys as a tree: keys with a common beginning are grouped under it. */

/** Keys that begin alike. */
export interface KeyGroup<Of> {
  /** With the dot at its end: `nav.`. */
  prefix: string
  members: readonly Of[]
}

/**
 * One level of the tree. A single key under a segment has no group.
 * @param said what the keys begin with already; '' on the first level
 */
export function groupKeys<Of extends { key: string }>(keys: readonly Of[], said = ''): (Of | KeyGroup<Of>)[] {
  const groups = Map.groupBy(keys, ({ key }) => key.slice(0, key.indexOf('.', said.length) + 1) || key)
  return [...groups].flatMap(([prefix, members]): (Of | KeyGroup<Of>)[] =>
    members.length > 1 ? [{ prefix, members }] : members,
  )
}
