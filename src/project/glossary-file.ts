/** The files of glossaries: `glossary.json` of the organization, and `<slug>/glossary.json` of each project. */

import { parseBody } from '../bundle/body.ts'
import { readCsv, writeCsv } from '../glossary/csv.ts'
import { blobId } from '../bundle/canonical.ts'
import { Failure } from '../bundle/errors.ts'
import { MAX_FILE } from '../bundle/file-size.ts'
import {
  checkGlossary,
  compareGlossaries,
  type Glossary,
  type GlossaryCounts,
  inOrder,
  renderGlossary,
} from '../glossary/glossary.ts'
import { readTbx, writeTbx } from '../glossary/tbx.ts'
import { editedJson } from './edited-json.ts'
import { ownFile, projectPath } from './project.ts'
import type { State } from './state.ts'

const FILE = 'glossary.json'

/** The name at the root of the repository, where folders are named after projects. No slug ends in `.json`. */
export const ORGANIZATION_GLOSSARY = FILE

/** What a token that is limited to some projects may know of: names at the root of the repository. */
export const namesWithin = (projects: readonly string[]): string[] => [...projects, FILE]

/** @param slug undefined for the organization's glossary */
export const glossaryPath = (slug: string | undefined): string => (slug === undefined ? FILE : `${slug}/${FILE}`)

/** A glossary's file; without `slug` the organization's. */
export interface GlossaryFile {
  kind: 'glossary'
  slug?: string
}

/** The glossary at a path, undefined for any other file. */
export function glossaryFile(path: string): GlossaryFile | undefined {
  if (path === FILE) return { kind: 'glossary' }
  const [slug, file, ...deeper] = path.split('/')
  if (file !== FILE || deeper.length > 0 || ownFile(projectPath(slug!)) === undefined) return undefined
  return { kind: 'glossary', slug: slug! }
}

/** Reads a file by the rules of a write. @throws Failure naming the culprit */
export const parseGlossary = (bytes: Uint8Array): Glossary => checkGlossary(editedJson(bytes))

/** The terms at HEAD: a file that breaks the rules has none. */
export function termsIn(bytes: Uint8Array | null | undefined): Glossary {
  if (!bytes) return []
  try {
    return parseGlossary(bytes)
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}

/** The canonical bytes, null for none. @throws Failure naming the culprit, `too-large` */
export function glossaryBytes(terms: Glossary): Buffer | null {
  const text = renderGlossary(terms)
  const bytes = text === null ? null : Buffer.from(text)
  if (bytes && bytes.length > MAX_FILE) {
    const limit = MAX_FILE.toLocaleString('en')
    throw new Failure('too-large', `The glossary would have more than ${limit} bytes: shorten notes or remove terms.`)
  }
  return bytes
}

/** A missing glossary in a body. */
export const EMPTY_GLOSSARY: Buffer = Buffer.from('{\n  "terms": []\n}\n')
const EMPTY_GLOSSARY_ID = blobId(EMPTY_GLOSSARY)

/** The stored glossary; a missing one has the id of {@link EMPTY_GLOSSARY}. */
export function glossaryAt(
  state: State,
  slug: string | undefined,
): { id: string; exists: boolean; bytes: Buffer | null } {
  const path = glossaryPath(slug)
  const entry = state.entry(path)
  if (entry?.kind !== 'blob') return { id: EMPTY_GLOSSARY_ID, exists: false, bytes: null }
  return { id: entry.id, exists: true, bytes: state.read(path)! }
}

/** Formats of other tools. */
export type ExportFormat = 'csv' | 'tbx'

/** A glossary in another format. @param source the language of the terms in TBX */
export function exportGlossary(task: { bytes: Uint8Array | null; format: ExportFormat; source: string }): Uint8Array {
  const terms = termsIn(task.bytes)
  return Buffer.from(task.format === 'csv' ? writeCsv(terms) : writeTbx(terms, task.source))
}

/** A new glossary. */
export interface GlossaryTask {
  /** The stored file, null for none. */
  stored: Uint8Array | null
  /** The caller's body. */
  body: Uint8Array
  format: 'json' | ExportFormat
  /** The language of the terms in TBX; null: the file says so. */
  source: string | null
  /** Whether stored terms stay that the body lacks. */
  merges: boolean
}

/** The new file, null for none, its number of terms, and what differs from the stored one. */
export interface GlossaryAnswer {
  file: Uint8Array | null
  terms: number
  counts: GlossaryCounts
}

/** @throws Failure `invalid`, `unfit` or `too-large` naming the culprit */
export function changeGlossary({ stored, merges, ...sent }: GlossaryTask): GlossaryAnswer {
  const before = termsIn(stored)
  const asked = termsOf(sent)
  const names = new Set(asked.map(({ term }) => term))
  const after = merges ? inOrder([...before.filter(({ term }) => !names.has(term)), ...asked]) : asked
  return { file: glossaryBytes(after), terms: after.length, counts: compareGlossaries(before, after) }
}

function termsOf({ body, format, source }: Pick<GlossaryTask, 'body' | 'format' | 'source'>): Glossary {
  if (format === 'json') return checkGlossary(parseBody(body).resource)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new Failure('invalid', 'The body is not valid UTF-8.')
  }
  return checkGlossary({ terms: format === 'csv' ? readCsv(text) : readTbx(text, source) })
}
