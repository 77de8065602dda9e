/** The language or namespace that a commit renamed. */
import { readSubject } from '../../bundle/read-subject.ts'

/** A language or a namespace with another name. */
export interface PlaceRename {
  part: 'language' | 'namespace'
  from: string
  to: string
}

/** Reads it in the subject of a commit; an undo renames back. @param slug of the project */
export function placeRenameIn(text: string, slug: string): PlaceRename | undefined {
  const subject = readSubject(text, slug)
  if (!subject) return undefined
  const { language, namespace } = subject
  if (subject.kind === 'rename-language') return { part: 'language', from: language!, to: subject.to }
  if (subject.kind === 'rename-namespace') return { part: 'namespace', from: namespace!, to: subject.to }
  if (subject.kind !== 'undo' && subject.kind !== 'redo') return undefined
  const undone = placeRenameIn(`${slug} ${language ?? namespace}: ${subject.what}`, slug)
  return undone && subject.kind === 'undo' ? { ...undone, from: undone.to, to: undone.from } : undone
}
