/** Compares the notes from the code with those of the server, and shows the changes. */
import { peel } from '../../bundle/message.ts'
import { lineFault } from '../../bundle/names.ts'
import { MAX_NOTE, MAX_REFS } from '../../bundle/note.ts'
import type { PlaceTree } from '../../bundle/place.ts'
import { readTree } from '../../bundle/read-tree.ts'
import { isFlat } from '../../bundle/resource.ts'
import { notes as notesAnswer } from '../api/answers.ts'
import { projectPath } from '../api/client.ts'
import type { Context } from '../context.ts'
import { type LocalProject, UNNAMED } from '../local/types.ts'
import type { Scope } from '../sync/scope.ts'
import { asLine } from '../terminal/printable.ts'
import { counted } from '../terminal/table.ts'
import { cut } from '../terminal/width.ts'
import type { CollectedNotes } from './collect-notes.ts'
import type { CodeNote } from './i18next-cli-plugin.ts'

/** A note of a push. */
export interface PushedNote {
  note?: string
  refs: string[]
}

/** A key with another note or other places. */
export interface NoteChange {
  namespace: string
  key: string
  /** The note before and after; null for none. A note of a person does not change. */
  before: string | null
  after: string | null
  refs: string[]
}

export interface NoteChanges {
  changes: NoteChange[]
  /** What a push sends, by namespace and key: the changes, and places that only moved to another line. */
  outgoing: OutgoingNote[]
}

export type OutgoingNote = [namespace: string, key: string, note: PushedNote]

/** Maximum requests at a time. */
const AT_ONCE = 8

/** Only keys that the source language has here get notes: others may be mistakes of the extraction. */
export async function noteChanges(scope: Scope, { notes, unread }: CollectedNotes): Promise<NoteChanges> {
  const { local, has } = scope
  const all = await local.find()
  const files = all.filter(file => file.language === local.sourceLanguage && has(file))
  const bundles = await local.read(files, () => true)
  const flat = isFlat(local.format(bundles))
  const unnamed = String(local.extraction?.extract.defaultNS || UNNAMED)
  const namespaces = bundles.flatMap(bundle => {
    const { namespace } = bundle.file
    const own = notes.get(namespace === (local.defaultNamespace || UNNAMED) ? unnamed : namespace)
    return own ? [{ namespace, own, tree: readTree(bundle.resource, flat, true) }] : []
  })
  const found: NoteChanges = { changes: [], outgoing: [] }
  for (let from = 0; from < namespaces.length; from += AT_ONCE) {
    const part = namespaces.slice(from, from + AT_ONCE)
    const stored = await Promise.all(part.map(({ namespace }) => storedNotes(scope, namespace)))
    for (const [at, { namespace, own, tree }] of part.entries()) {
      // The code may write a key in two ways.
      const keys = Map.groupBy(own, ([name]) => keyIn(tree, name, local))
      for (const [key, notes] of keys) {
        if (key !== undefined) compare(found, { namespace, key, unread }, joined(notes), stored[at]!.get(key))
      }
    }
  }
  return found
}

/** Empty on an older server, which has no notes. */
async function storedNotes({ api, project }: Scope, namespace: string) {
  const path = projectPath(project, 'notes', namespace)
  const { json } = await api.ask('GET', path, notesAnswer, { accept: [200, 404] })
  return new Map(Object.entries(json?.notes ?? {}))
}

/**
 * The server's name of a key in the code: with dots between its segments. i18next reads `a:b:c` as `b.c` of the
 * namespace `a`, and i18next-cli as `b:c`.
 */
function keyIn(
  tree: PlaceTree,
  name: string,
  { keySeparator, nsSeparator }: Pick<LocalProject, 'keySeparator' | 'nsSeparator'>,
): string | undefined {
  const separators = keySeparator === false ? [] : [keySeparator, nsSeparator || keySeparator]
  const dotted = separators.reduce((text, separator) => text.replaceAll(separator, '.'), name)
  // An app may call a form by its name: `t('item_one', { count })`.
  return [name, dotted, peel(dotted).key].find(one => tree.get(one) !== undefined)
}

const joined = (notes: readonly [name: string, note: CodeNote][]): CodeNote => ({
  notes: new Set(notes.flatMap(([, { notes }]) => [...notes])),
  refs: new Set(notes.flatMap(([, { refs }]) => [...refs])),
})

type StoredNote = { note?: string | undefined; refs?: string[] | undefined; from?: string | undefined }

function compare(
  { changes, outgoing }: NoteChanges,
  { namespace, key, unread }: { namespace: string; key: string; unread: readonly string[] },
  code: CodeNote,
  stored: StoredNote = {},
): void {
  // A file that cannot be read may still describe the key.
  if (stored.refs?.some(ref => unread.includes(pathOf(ref)))) return
  const refs = [...code.refs].filter(isRef).slice(0, MAX_REFS.count)
  const said = shortened([...code.notes].join('\n'))
  const before = stored.note ?? null
  const after = stored.note !== undefined && stored.from !== 'code' ? before : said || null
  const isChanged = before !== after || pathsOf(stored.refs) !== pathsOf(refs)
  const isMoved = stored.refs?.join() !== refs.join()
  if (isChanged) changes.push({ namespace, key, before, after, refs })
  if (isChanged || isMoved) outgoing.push([namespace, key, { ...(said !== '' && { note: said }), refs }])
}

/** Without its line. */
const pathOf = (ref: string): string => ref.replace(/:\d+$/, '')
const pathsOf = (refs: readonly string[] = []): string => [...new Set(refs.map(pathOf))].join('\n')
const isRef = (ref: string) => lineFault(ref, MAX_REFS.characters) === undefined

/** Within the maximum bytes of the server. */
function shortened(note: string): string {
  const text = note.toWellFormed().replaceAll('\0', '')
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_NOTE) return text
  return `${new TextDecoder().decode(bytes.subarray(0, MAX_NOTE - 8)).replace(/\ufffd+$/, '')} …`
}

/** Maximum listed notes. */
const MAX_LISTED = 40

/** The changed notes, one a line; the first push of an app changes the places of all keys, which are not listed. */
export function listedNotes({ terminal }: Pick<Context, 'terminal'>, changes: readonly NoteChange[]): string[] {
  const notes = changes.filter(isOfText)
  if (notes.length === 0) return []
  const lines = notes.slice(0, MAX_LISTED).map(({ namespace, key, before, after }) => {
    const [sign, colour] = before === null ? (['+', 'green'] as const) : (['~', 'yellow'] as const)
    const texts = [before, after].filter(text => text !== null).map(text => JSON.stringify(text))
    const [mark, paint] = after === null ? (['-', 'red'] as const) : [sign, colour]
    const line = `  ${mark} ${asLine(`${namespace}:${key}`)}  ${texts.join(' → ')}`
    return terminal.style(paint, cut(line, Math.max(60, terminal.columns)))
  })
  const more = notes.length > MAX_LISTED ? [`  … and ${notes.length - MAX_LISTED} more`] : []
  return [[`Notes from the code: ${counted(notes.length, 'key')}`, ...lines, ...more].join('\n')]
}

/** `notes of 2 keys, places of 40 keys`. */
export function notesText(changes: readonly NoteChange[] = []): string[] {
  const notes = changes.filter(isOfText).length
  const places = changes.length - notes
  return [
    ...(notes > 0 ? [`notes of ${counted(notes, 'key')}`] : []),
    ...(places > 0 ? [`places in the code of ${counted(places, 'key')}`] : []),
  ]
}

const isOfText = ({ before, after }: NoteChange) => before !== after
