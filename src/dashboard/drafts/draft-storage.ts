/** Storage of what is typed beside the texts and not saved. It survives leaving the row, a reload and a closed tab. */
import { attempt } from './drafts.ts'

/** What this tab typed wins over what another one stored. By name. */
const typed = new Map<string, unknown>()
/** The item that this tab read or wrote last, by name. Another one is what another tab typed: it stays. */
const own = new Map<string, string | null>()

/**
 * @param prefix of the names in the browser's storage
 * @param parse of a stored value, which others may have written
 */
export const draftStorage = <Draft>(prefix: string, parse: (value: unknown) => Draft | undefined) => ({
  /** The name of a draft. @param owner user, organization, project, namespace, and what it is about */
  nameOf: (owner: readonly string[]) => prefix + JSON.stringify(owner),
  read: (name: string) =>
    (typed.get(name) as Draft | undefined) ?? attempt(() => parse(JSON.parse(readOwn(name) ?? '{}'))),
  store: (name: string, draft: Draft | undefined) => store(name, draft),
})

function readOwn(name: string): string | null {
  const item = localStorage.getItem(name)
  own.set(name, item)
  return item
}

/** Stores a draft, or removes it. A draft that the browser does not store lives as long as the tab. */
function store(name: string, draft: unknown): void {
  if (draft === undefined) typed.delete(name)
  else typed.set(name, draft)
  attempt(() => {
    if (draft === undefined) {
      if (localStorage.getItem(name) === own.get(name)) localStorage.removeItem(name)
    } else {
      localStorage.setItem(name, JSON.stringify(draft))
      readOwn(name)
    }
  })
}

/** Prefixes of what belongs to a key. */
const OF_KEYS = /^parlance (?:note|comment) (?=\[)/

/**
 * Moves what is typed about a renamed key or namespace. It stays where the new name has a draft of its own.
 * @param from organization, project, namespace, and perhaps a key
 */
export function moveKeyDrafts(from: readonly string[], to: readonly string[]): void {
  const names = attempt(() => Array.from(localStorage, (_, index) => localStorage.key(index)!)) ?? []
  for (const name of new Set([...names, ...typed.keys()])) {
    const [prefix] = OF_KEYS.exec(name) ?? []
    if (prefix === undefined) continue
    attempt(() => {
      const [user, ...place]: string[] = JSON.parse(name.slice(prefix.length))
      if (!from.every((part, at) => place[at] === part)) return
      const next = prefix + JSON.stringify([user, ...to, ...place.slice(from.length)])
      const words = attempt(() => (typed.has(name) ? null : readOwn(name)))
      if (typed.has(next) || attempt(() => localStorage.getItem(next))) return
      if (typed.has(name)) store(next, typed.get(name))
      else if (words) localStorage.setItem(next, words)
      store(name, undefined)
    })
  }
}
