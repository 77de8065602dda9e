/**
 * A plugin of i18next-cli that collects notes for translators: `tDescription`, comments with a mark directly before a
 * call, and where each key is used. i18next-cli resolves keys and namespaces.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { peel } from '../../bundle/message.ts'
import { MARKS, markedComments } from './marked-comments.ts'
import { descriptionOf, keyPlaces, type Span, type SyntaxNode, spanOf } from './syntax-tree.ts'

/** Notes from the code by namespace and key: the member `notes` of a push. */
export type CodeNotes = Map<string, Map<string, CodeNote>>

/** What the code says about a key. */
export interface CodeNote {
  /** Different notes of several calls. */
  notes: Set<string>
  /** `src/cart.tsx:12`. */
  refs: Set<string>
}

export interface CodeNotesOptions {
  /** Beginnings of comments for translators. */
  marks?: readonly string[]
  /** Where to write the notes as JSON, relative to the working folder. */
  output?: string
}

/** A key that i18next-cli found. */
interface SubmittedKey {
  key: string
  ns?: string | false
  locations?: unknown
  explicitDefault?: unknown
}

/** A call or a component, with the keys that i18next-cli found in it. */
interface KeyedCall {
  node: SyntaxNode
  keys: SubmittedKey[]
  /** Starts of the call and of what it begins, up to its statement: a comment may stand before each. */
  begins: number[]
}

interface SourceFile {
  path: string
  code: string
  literals: Span[]
  /** The nodes around the present one. */
  around: (Span & { isBody: boolean })[]
  calls: KeyedCall[]
}

const CALL = /^(?:CallExpression|NewExpression|JSXElement)$/
const BODY = /^(?:BlockStatement|FunctionBody|Module|Script|Class)/
const LITERAL = /^(?:StringLiteral|TemplateElement|JSXText|RegExpLiteral)$/

/** Use it last in `plugins`, so that it reads the code that the others return. */
export function parlanceNotes(options: CodeNotesOptions = {}) {
  const marks = options.marks ?? MARKS
  const notes: CodeNotes = new Map()
  let file: SourceFile | undefined
  let present: SyntaxNode | undefined

  function finish(): void {
    if (file?.calls.length) addNotes(notes, file, marks)
    file = undefined
  }

  const plugin = {
    name: 'parlance-notes',
    options,
    notes,
    /** Whether i18next-cli reports keys to plugins, as it does since 1.48. */
    hasSeenKeys: false,
    setup(): void {
      notes.clear()
    },
    onLoad(code: string, path: string): undefined {
      finish()
      file = { path: relative('.', resolve(path)).split(sep).join('/'), code, literals: [], around: [], calls: [] }
    },
    onVisitNode(node: SyntaxNode): void {
      present = node
      const span = spanOf(node)
      if (!file || !span) return
      const { around, literals } = file
      while (around.length > 0 && !holds(around.at(-1)!, span)) around.pop()
      around.push({ ...span, isBody: BODY.test(node.type ?? '') })
      if (LITERAL.test(node.type ?? '')) literals.push(span)
    },
    onKeySubmitted(key: SubmittedKey): void {
      plugin.hasSeenKeys = true
      // Keys in comments have no node of their own.
      if (!file || !present?.span || !CALL.test(present.type ?? '')) return
      const last = file.calls.at(-1)
      if (last?.node === present) last.keys.push(key)
      else file.calls.push({ node: present, keys: [key], begins: beginsOf(file, present) })
    },
    onEnd(): void {
      finish()
      if (options.output !== undefined) writeFileSync(options.output, `${JSON.stringify(documentOf(notes), null, 2)}\n`)
    },
  }
  return plugin
}

const holds = (outer: Span, inner: Span) => outer.start <= inner.start && inner.end <= outer.end

function beginsOf({ around }: SourceFile, node: SyntaxNode): number[] {
  const body = around.findLastIndex(({ isBody }) => isBody)
  return [...around.slice(body + 1), ...keyPlaces(node)].map(({ start }) => start)
}

function addNotes(all: CodeNotes, file: SourceFile, marks: readonly string[]): void {
  const { path, code, calls, literals } = file
  const comments = markedComments(code, marks, literals)
  const lineAt = isOriginal(file) ? lineCounter(code) : () => 1
  for (const { node, keys, begins } of calls) {
    // The first call after a comment gets its note.
    const own = comments.filter(({ next }) => begins.includes(next))
    for (const comment of own) comments.splice(comments.indexOf(comment), 1)
    const described = [descriptionOf(node)?.trim(), ...own.map(({ note }) => note)]
    const place = `${path}:${lineAt((keyPlaces(node)[0] ?? node.span!).start)}`
    for (const key of keys) {
      const { notes, refs } = noteOf(all, key)
      refs.add(place)
      // A key that is nested in a text, `$t(other)`, has another meaning than the text.
      if (!('locations' in key || 'explicitDefault' in key)) continue
      for (const note of described) if (note) notes.add(note)
    }
  }
}

/** The note of a key; plural forms are those of one key. */
function noteOf(all: CodeNotes, { ns, key }: SubmittedKey) {
  const namespace = ns || 'translation'
  const keys = all.get(namespace) ?? new Map()
  all.set(namespace, keys)
  const name = peel(key).key
  const note = keys.get(name) ?? { notes: new Set(), refs: new Set() }
  keys.set(name, note)
  return note
}

/** Whether no plugin changed the code, as one for `.vue` does. */
function isOriginal({ path, code }: SourceFile): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) || readFileSync(path, 'utf8') === code
}

/** The line of ascending and other offsets. */
function lineCounter(code: string): (at: number) => number {
  const starts = [...code.matchAll(/\n/g)].map(({ index }) => index)
  return at => starts.findLastIndex(start => start < at) + 2
}

/** The member `notes` of a push. */
const documentOf = (all: CodeNotes): object =>
  Object.fromEntries(
    Array.from(all, ([namespace, keys]) => [
      namespace,
      Object.fromEntries(
        Array.from(keys, ([key, { notes, refs }]) => [
          key,
          { ...(notes.size > 0 && { note: [...notes].join('\n') }), refs: [...refs] },
        ]),
      ),
    ]),
  )
