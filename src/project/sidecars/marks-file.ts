/** The file with the marks of a bundle's texts: `<slug>/marks/<language>/<namespace>.json`. */
import type { KeyEntries } from '../../bundle/key-entries.ts'
import { checkMarks, hasNoMarks, type KeyMarks } from '../../bundle/mark.ts'
import { parseEntries, validEntries } from './key-file.ts'

/** Reads a file by the rules of a write. @throws Failure `invalid` or `unfit` naming the culprit */
export const parseMarks = (bytes: Uint8Array): KeyEntries<KeyMarks> =>
  parseEntries(bytes, 'marks', (key, entry) => {
    const marks = checkMarks(key, entry)
    return hasNoMarks(marks) ? undefined : marks
  })

/** The marks at HEAD: those that break the rules are left out. */
export const marksIn = (bytes: Uint8Array | null | undefined): KeyEntries<KeyMarks> => validEntries(bytes, checkMarks)
