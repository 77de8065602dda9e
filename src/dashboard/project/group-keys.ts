/** Many keys as a tree: those that begin alike stand under what they begin with. */

/** Keys that begin alike. */
export interface KeyGroup<Of> {
  /** With the dot at its end: `nav.`. */
  prefix: string
  members: readonly Of[]
}

/**
 * One level of the tree: what stands alone under a segment has no group.
 * @param said what the keys begin with already; '' on the first level
 */
export function groupKeys<Of extends { key: string }>(keys: readonly Of[], said = ''): (Of | KeyGroup<Of>)[] {
  const groups = Map.groupBy(keys, ({ key }) => key.slice(0, key.indexOf('.', said.length) + 1) || key)
  return [...groups].flatMap(([prefix, members]): (Of | KeyGroup<Of>)[] =>
    members.length > 1 ? [{ prefix, members }] : members,
  )
}
