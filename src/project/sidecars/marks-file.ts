/** The file with the marks of a bundle's texts: `<slug>/marks/<language>/<namespace>.json`. */
import type { KeyEntries } from '../../bundle/key-entries.ts'
import { checkMarks, fittingMarks, hasNoMarks, type KeyMarks } from '../../bundle/mark.ts'
import type { Bundle } from '../../bundle/resource.ts'
import { textDigest } from '../../bundle/text-digest.ts'
import { parseEntries, validEntries } from './key-file.ts'

/** Reads a file by the rules of a write. @throws Failure `invalid` or `unfit` naming the culprit */
export const parseMarks = (bytes: Uint8Array): KeyEntries<KeyMarks> =>
  parseEntries(bytes, 'marks', (key, entry) => {
    const marks = checkMarks(key, entry)
    return hasNoMarks(marks) ? undefined : marks
  })

/** The marks that hold for the present texts, members in their order in the file. @param source null for its own texts */
export function presentMarks(
  all: KeyEntries<KeyMarks>,
  source: Pick<Bundle, 'message'> | null,
  target: Pick<Bundle, 'message'>,
): KeyEntries<KeyMarks> {
  const present: KeyEntries<KeyMarks> = new Map()
  for (const [key, marks] of all) {
    const message = target.message(key)
    if (message === undefined) continue
    const fit = fittingMarks(marks, textDigest(source?.message(key) ?? null, message))
    if (!hasNoMarks(fit)) present.set(key, fit)
  }
  return present
}

/** The marks at HEAD: those that break the rules are left out. */
export const marksIn = (bytes: Uint8Array | null | undefined): KeyEntries<KeyMarks> => validEntries(bytes, checkMarks)
