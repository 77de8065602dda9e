/** Says of matches of the memory whether they are approved, and by a machine, as the marks of a state have it. */
import type { MemoryMatch, MemoryQuery } from '../../memory/organization-memory.ts'
import { projectIn } from '../../project/layout.ts'
import { bundlePath } from '../../project/project.ts'
import type { HeldMarks } from '../../project/sidecars/held-marks-of.ts'
import { sidecarPath } from '../../project/sidecars/sidecars.ts'
import type { PinnedState } from './pinned-state.ts'

/** @param of the languages of the search */
export async function withMarks<M extends MemoryMatch>(
  pinned: PinnedState,
  of: Pick<MemoryQuery, 'from' | 'to'>,
  matches: readonly M[],
): Promise<(M & HeldMarks)[]> {
  const marked: (M & HeldMarks)[] = []
  for (const match of matches) marked.push({ ...match, ...(await marksOf(pinned, of, match)) })
  return marked
}

async function marksOf(
  pinned: PinnedState,
  { from, to: language }: Pick<MemoryQuery, 'from' | 'to'>,
  { project: slug, namespace, key, source, message }: MemoryMatch,
): Promise<HeldMarks> {
  const path = sidecarPath({ slug, sidecar: 'marks', language, namespace })
  const sourceLanguage = await pinned.look(state => {
    return state.entry(path)?.kind === 'blob' ? projectIn(state, slug)?.sourceLanguage : undefined
  })
  if (sourceLanguage === undefined || sourceLanguage === language) return { approved: false, machine: false }
  return pinned.compute('heldMarksOf', state => {
    // A mark is about the source text, also where the search is from another translation.
    const original = () => state.read(bundlePath({ slug, language: sourceLanguage, namespace })) ?? null
    return { marks: state.read(path)!, key, message, source: from === sourceLanguage ? source : original() }
  })
}
