/** Storage of what is typed in the panel and not saved. It survives leaving the row, a reload and a closed tab. */

/** Typed words by name. */
export interface PanelDraftStorage<Draft> {
  /** The name of a draft. @param owner user, organization, project, and what it is about */
  nameOf: (owner: readonly string[]) => string
  /** The draft of a name; undefined without one. */
  read: (name: string) => Draft | undefined
  /** Stores a draft, or removes it. */
  store: (name: string, draft: Draft | undefined) => void
}

/**
 * @param prefix of the names in the browser's storage
 * @param parse of a stored value, which others may have written
 */
export function draftStorage<Draft>(
  prefix: string,
  parse: (value: unknown) => Draft | undefined,
): PanelDraftStorage<Draft> {
  /** What this tab typed wins over what another one stored. */
  const typed = new Map<string, Draft>()
  return {
    nameOf: owner => prefix + JSON.stringify(owner),
    read: name => typed.get(name) ?? attempt(() => parse(JSON.parse(localStorage.getItem(name) ?? '{}'))),
    store(name, draft) {
      if (draft === undefined) typed.delete(name)
      else typed.set(name, draft)
      attempt(() =>
        draft === undefined ? localStorage.removeItem(name) : localStorage.setItem(name, JSON.stringify(draft)),
      )
    },
  }
}

/** The browser's storage may be forbidden, full, or written by others. The draft then lives as long as the tab. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
