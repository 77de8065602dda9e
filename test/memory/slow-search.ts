/** The memory, loaded from files, and a slow scorer that looks at every text. */
import { linesOf, type Message, partsOf } from '../../src/bundle/message.ts'
import { maskText } from '../../src/memory/mask-text.ts'
import type { MemoryFolder, OrganizationMemory } from '../../src/memory/organization-memory.ts'

type Texts = Record<string, string>

/** Files by project, language and namespace. */
export type Files = Record<string, Record<string, Record<string, Texts>>>

export const folderOf = (project: string, language: string | null): MemoryFolder => ({ project, language, id: 'any' })

/** Loads files as the thread does. */
export function load(memory: OrganizationMemory, files: Files, version = '1'): void {
  const projects = new Map(Object.keys(files).map(slug => [slug, 'en']))
  const folders = Object.entries(files).flatMap(([project, languages]) =>
    Object.keys(languages).map(language => ({ ...folderOf(project, language), id: version })),
  )
  for (const folder of memory.changed(projects, folders)) {
    const bundles = files[folder.project]![folder.language!]!
    const ids = new Map(Object.entries(bundles).map(([namespace, texts]) => [namespace, JSON.stringify(texts)]))
    for (const namespace of memory.missing(folder, ids)) {
      const file = { namespace, id: ids.get(namespace)!, interpolation: undefined }
      memory.put(folder, file, Buffer.from(ids.get(namespace)!))
    }
    memory.loaded(folder)
  }
}

export const search = (memory: OrganizationMemory, source: string, limit = 5, projects: string[] | null = null) =>
  memory.search({ source, from: 'en', to: 'de', projects, limit }).matches

/** The trigrams of a text, as strings. */
function trigrams(text: string): string[] {
  const padded = `\0\0${text}\0`
  return Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3))
}

/** The score of two texts, by definition. */
function slowScore(a: string, b: string): number {
  const [one, other] = [maskText(a, [undefined]), maskText(b, [undefined])]
  if (one.exact === other.exact) return 100
  const rest = trigrams(other.folded)
  const [count, otherCount] = [trigrams(one.folded).length, rest.length]
  let shared = 0
  for (const trigram of trigrams(one.folded)) {
    const at = rest.indexOf(trigram)
    if (at === -1) continue
    rest.splice(at, 1)
    shared++
  }
  return Math.min(99, Math.floor((200 * shared) / (count + otherCount)))
}

const filled = (message: Message | undefined) =>
  message !== undefined && linesOf(partsOf(message)).some(([, text]) => text !== '')

/** The best matches of flat texts without plurals, by looking at all of them. */
export function slowSearch(files: Files, source: string, limit: number) {
  const rows = Object.entries(files).flatMap(([project, { en = {}, de = {} }]) =>
    Object.entries(en).flatMap(([namespace, texts]) =>
      Object.entries(texts)
        .filter(([key, text]) => text !== '' && filled(de[namespace]?.[key]))
        .map(([key, text]) => {
          const message = de[namespace]![key]!
          return { score: slowScore(source, text), source: text, message, project, namespace, key }
        }),
    ),
  )
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  rows.sort(
    (a, b) =>
      b.score - a.score || order(a.project, b.project) || order(a.namespace, b.namespace) || order(a.key, b.key),
  )
  const pairs = new Set<string>()
  const isFirst = ({ source, message }: { source: string; message: string }) => {
    const pair = JSON.stringify([source, message])
    return !pairs.has(pair) && pairs.add(pair)
  }
  return rows.filter(row => row.score >= 60 && isFirst(row)).slice(0, limit)
}
