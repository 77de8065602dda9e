/** A file that a person moved is judged as one: it stays under its old name where the new one breaks the rules. */
import { EMPTY_BUNDLE_BYTES } from '../bundle/canonical.ts'
import { Failure } from '../bundle/errors.ts'
import { classify, judgeFile, sourceFirst } from './judge.ts'
import { projectIn } from './layout.ts'
import type { Offload } from './offload.ts'
import { Overlay, type State } from './state.ts'

/** The old path of each moved file, by its new path. */
export type FileMoves = ReadonlyMap<string, string>

/** What a person moved in a project's folder. */
export interface ProjectMoves {
  /** All removed files. */
  gone: Iterable<string>
  moves: FileMoves
  /** New files of the source language that are no moves: translations are judged by them. */
  sources: ReadonlyMap<string, Buffer>
}

/**
 * Pairs files of the same content, first those of the same name.
 * @param gone blob ids of removed files by path @param created those of new files
 */
export function pairMoves(gone: ReadonlyMap<string, string>, created: ReadonlyMap<string, string>): FileMoves {
  const paths = new Map<string, string[]>()
  for (const [path, id] of gone) paths.set(id, [...(paths.get(id) ?? []), path])
  const moves = new Map<string, string>()
  for (const [to, id] of created) {
    const left = paths.get(id) ?? []
    const same = left.findIndex(path => nameOf(path) === nameOf(to))
    const [from] = left.splice(Math.max(same, 0), 1)
    if (from !== undefined) moves.set(to, from)
  }
  return moves
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/**
 * The old paths of moves that the rules refuse, with the new ones. A file that stays may refuse others: its language is
 * a twin of the new one.
 * @throws Failure `unavailable` when a file cannot be judged
 */
export async function refusedMoves(
  head: State,
  { gone, moves, sources }: ProjectMoves,
  compute: Offload,
): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>()
  for (let known = -1; known < refused.size; ) {
    known = refused.size
    const state = new Overlay(head)
    for (const path of gone) if (!refused.has(path)) state.remove(path)
    const projects = [...moves.keys()].filter(isProject)
    const others = [...moves.keys(), ...sources.keys()].filter(path => !isProject(path))
    // Which language is the source is known once the projects are judged.
    for (const paths of [() => projects, () => sourceFirst(state, others)]) {
      for (const to of paths()) {
        const from = moves.get(to)
        if (from !== undefined && refused.has(from)) continue
        try {
          await judgeMoved(to, from === undefined ? sources.get(to)! : head.read(from)!, state, compute)
        } catch (error) {
          if (error instanceof Failure && error.code === 'unavailable') throw error
          if (from !== undefined) refused.set(from, to)
        }
      }
    }
  }
  return refused
}

async function judgeMoved(to: string, content: Buffer, state: Overlay, compute: Offload): Promise<void> {
  const file = classify(to)!
  if (file.kind === 'misnamed') throw new Failure('unfit', file.error)
  const bytes = await judgeFile(file, content, state, { compute })
  // Of a translation, only its name matters to the files that follow.
  state.set(to, file.kind === 'bundle' && !isSource(state, to) ? EMPTY_BUNDLE_BYTES : bytes)
}

const isProject = (path: string): boolean => classify(path)?.kind === 'project'

function isSource(state: State, path: string): boolean {
  const file = classify(path)
  return file?.kind === 'bundle' && projectIn(state, file.slug)?.sourceLanguage === file.language
}
