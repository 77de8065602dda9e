/** The file with the marks of a bundle's texts: `<slug>/marks/<language>/<namespace>.json`. */
import { isObject } from '../../bundle/body.ts'
import { Failure } from '../../bundle/errors.ts'
import { entriesIn, type KeyEntries } from '../../bundle/key-entries.ts'
import { checkMarks, hasNoMarks, type KeyMarks } from '../../bundle/mark.ts'
import { keyFault, shortKey } from '../../bundle/names.ts'
import { editedJson } from '../edited-json.ts'

/** Reads a file by the rules of a write. @throws Failure `invalid` or `unfit` naming the culprit */
export function parseMarks(bytes: Uint8Array): KeyEntries<KeyMarks> {
  const value = editedJson(bytes)
  if (!isObject(value)) throw new Failure('unfit', 'A file of marks must be a JSON object: marks by key.')
  const all: KeyEntries<KeyMarks> = new Map()
  for (const [key, entry] of Object.entries(value)) {
    const fault = keyFault(key)
    if (fault !== undefined) throw new Failure('unfit', `The key ${JSON.stringify(shortKey(key))} ${fault}.`)
    const marks = checkMarks(key, entry)
    if (!hasNoMarks(marks)) all.set(key, marks)
  }
  return all
}

/** The marks at HEAD: a file that breaks the rules has none. */
export function marksIn(bytes: Uint8Array | null | undefined): KeyEntries<KeyMarks> {
  const all: KeyEntries<KeyMarks> = new Map()
  for (const [key, entry] of entriesIn(bytes)) {
    try {
      all.set(key, checkMarks(key, entry))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
  }
  return all
}
