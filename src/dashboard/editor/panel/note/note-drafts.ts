/** Typed and unsaved notes. They survive leaving the row, a reload and a closed tab. */

/** The parts of a note that the panel edits, as its fields have them. */
export interface EditedNote {
  note: string
  /** Digits, or nothing. */
  max: string
}

/** A typed note and the one that it began with. */
export interface NoteDraft extends EditedNote {
  before: EditedNote
  /** Of the editor where it was typed: the header leads there. */
  language: string
}

const PREFIX = 'parlance note '

/** What this tab typed wins over what another one stored. */
const typed = new Map<string, NoteDraft>()

/** The name of a note's draft. @param owner user, organization, project, namespace and key */
export const noteDraftName = (owner: readonly string[]): string => PREFIX + JSON.stringify(owner)

/** The draft of a name; undefined without one. */
export function readNoteDraft(name: string): NoteDraft | undefined {
  const own = typed.get(name)
  if (own) return own
  return attempt(() => {
    // An older version stored no language.
    const { note, max, before, language = '' } = JSON.parse(localStorage.getItem(name) ?? '{}')
    const all = [note, max, before?.note, before?.max, language]
    return all.every(one => typeof one === 'string') ? { note, max, before, language } : undefined
  })
}

/** Stores a draft, or removes it. */
export function storeNoteDraft(name: string, draft: NoteDraft | undefined): void {
  if (draft) typed.set(name, draft)
  else typed.delete(name)
  attempt(() => (draft ? localStorage.setItem(name, JSON.stringify(draft)) : localStorage.removeItem(name)))
}

/** The browser's storage may be forbidden, full, or written by others. The draft then lives as long as the tab. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
