/** Conflicts: displayed as base, yours and theirs, and decided key by key. */
import type { Context } from '../context.ts'
import { Problem } from '../problem.ts'
import { asLine } from '../terminal/printable.ts'
import { counted } from '../terminal/table.ts'
import type { ComparedBundle } from './compare.ts'
import { type Conflict, type Merge, resolved, type Side, type Texts } from './merge.ts'

/** `--prefer`. */
export type Preference = 'yours' | 'theirs'

type ConflictedBundle = Pick<ComparedBundle, 'file' | 'local' | 'name' | 'merged' | 'elsewhere' | 'isDiscardedPull'>

/** Decisions by bundle and key. The pull of a sync reuses those of its push. */
export type Choices = Map<string, Side>

/**
 * Resolves the conflicts of bundles.
 * @param undone a sentence about what was not done, for the refusal
 * @throws Problem with the list of conflicts, without a preference and a terminal
 */
export async function settled<T extends ConflictedBundle>(
  context: Context,
  bundles: readonly T[],
  prefer: Preference | undefined,
  made: Choices = new Map(),
  undone = 'Nothing was written.',
): Promise<T[]> {
  const open = bundles.flatMap(bundle => bundle.merged.conflicts.map(conflict => ({ bundle, conflict })))
  const left = open.filter(({ bundle, conflict }) => !made.has(idOf(bundle, conflict.key)))
  if (left.length > 0 && prefer === undefined && !context.terminal.interactive)
    throw await refusal(context, left, undone)
  let all = prefer
  for (const [at, { bundle, conflict }] of left.entries()) {
    const side = all ?? (await choose(context, bundle, conflict, left.length - at))
    if (side === 'all yours' || side === 'all theirs') all = side === 'all yours' ? 'yours' : 'theirs'
    made.set(idOf(bundle, conflict.key), (all ?? side) === 'yours' ? 'local' : 'server')
  }
  return bundles.map(bundle => {
    const merged: Merge = resolved(bundle.merged, key => made.get(idOf(bundle, key))!)
    return { ...bundle, merged }
  })
}

/** A conflict for `--json`. */
export const conflictDocument = ({ file }: ConflictedBundle, { key, base, local, server }: Conflict): object => ({
  language: file.language,
  namespace: file.namespace,
  path: file.path,
  key,
  ...(base && { base }),
  yours: local,
  theirs: server,
})

const idOf = ({ name }: ConflictedBundle, key: string) => JSON.stringify([name, key])

async function choose(context: Context, bundle: ConflictedBundle, conflict: Conflict, left: number) {
  await context.out(`${shown(bundle, conflict)}\n`)
  const choices = [
    { value: 'yours' as const, label: 'Yours', hint: 'as the file has it' },
    { value: 'theirs' as const, label: 'Theirs', hint: 'as the server has it' },
    ...(left > 1
      ? [
          { value: 'all yours' as const, label: `Yours, for all ${left} that are left` },
          { value: 'all theirs' as const, label: `Theirs, for all ${left} that are left` },
        ]
      : []),
  ]
  return context.ask.select(`Which ${asLine(conflict.key)}?`, choices, '--prefer yours or --prefer theirs')
}

async function refusal(
  context: Context,
  open: { bundle: ConflictedBundle; conflict: Conflict }[],
  undone: string,
): Promise<Problem> {
  const unknown = open.filter(({ conflict }) => conflict.base === undefined)
  const branch = unknown.map(({ bundle }) => bundle.elsewhere).find(name => name !== undefined)
  if (!context.json) await context.err(`${open.map(one => shown(one.bundle, one.conflict)).join('\n')}\n`)
  const keys = counted(open.length, 'key')
  const what =
    unknown.length < open.length
      ? `${keys} changed here and on the server.`
      : open.every(({ bundle }) => bundle.isDiscardedPull)
        ? `For ${keys} the files are as before a pull that no commit has: git discarded the pull, or you edited the texts back.`
        : branch === undefined
          ? `The server has other texts for ${keys}. Without an earlier pull it is unknown which side changed.`
          : `The server has other texts for ${keys}. You pulled them on ${branch}, and the last commits of this branch do not have them: it is unknown which side changed.`
  const conflicts = open.map(({ bundle, conflict }) => conflictDocument(bundle, conflict))
  const first = branch === undefined ? 'Give' : `Merge ${branch}, or give`
  return new Problem(`${what} ${undone}`, {
    hint: `${first} --prefer theirs for the texts of the server, --prefer yours for those of the files, or choose key by key in a terminal.`,
    data: { conflicts },
  })
}

/** Displays a conflict with its position in the file. */
export function shown(
  { file, local, elsewhere, isDiscardedPull }: ConflictedBundle,
  { key, leaves, base, local: yours, server: theirs }: Conflict,
): string {
  const place = leaves.map(leaf => local?.placeOf(leaf.key)).find(found => found !== undefined)
  const where = place ? `${file.path}:${place.line}:${place.column}` : file.path
  const sides: [string, Texts | undefined][] = [
    ['base', base],
    ['yours', yours],
    ['theirs', theirs],
  ]
  const lines = sides.flatMap(([side, texts]) =>
    texts ? `  ${side.padEnd(6)}  ${textsShown(key, texts, side === 'base' ? '(none)' : '(deleted)')}` : [],
  )
  const unknown =
    base !== undefined
      ? []
      : isDiscardedPull
        ? ['  base    (a pull that no commit has: yours is the text before it)']
        : elsewhere
          ? [`  base    (of ${elsewhere}: the last commits of this branch do not have it)`]
          : []
  return [`${where}: ${asLine(key)}`, ...unknown, ...lines].join('\n')
}

function textsShown(key: string, texts: Texts, without: string): string {
  const lines = Object.entries(texts)
  if (lines.length === 0) return without
  return lines.map(([name, text]) => (name === key ? '' : `${asLine(name)} `) + JSON.stringify(text)).join(', ')
}
