/** What was changed here and on the server: shown as base, yours and theirs, and chosen key by key. */
import type { Context } from '../context.ts'
import { Problem } from '../problem.ts'
import { asLine } from '../terminal/printable.ts'
import { counted } from '../terminal/table.ts'
import type { Compared } from './compare.ts'
import { type Conflict, type Merge, resolved, type Side, type Texts } from './merge.ts'

/** `--prefer`. */
export type Preference = 'yours' | 'theirs'

type Found = Pick<Compared, 'file' | 'local' | 'name' | 'merged' | 'elsewhere' | 'isPutBack'>

/** Choices that were made, by bundle and key, for a second look at the same conflict. */
export type Choices = Map<string, Side>

/**
 * The same bundles without conflicts.
 * @param undone what is left undone where they are refused
 * @throws Problem with the list of them, when nobody can be asked and nothing says which side wins
 */
export async function settled<T extends Found>(
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

/** As programs read it. */
export const conflictDocument = ({ file }: Found, { key, base, local, server }: Conflict): object => ({
  language: file.language,
  namespace: file.namespace,
  path: file.path,
  key,
  ...(base && { base }),
  yours: local,
  theirs: server,
})

const idOf = ({ name }: Found, key: string) => JSON.stringify([name, key])

async function choose(context: Context, bundle: Found, conflict: Conflict, left: number) {
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
  open: { bundle: Found; conflict: Conflict }[],
  undone: string,
): Promise<Problem> {
  const unknown = open.filter(({ conflict }) => conflict.base === undefined)
  const branch = unknown.map(({ bundle }) => bundle.elsewhere).find(name => name !== undefined)
  if (!context.json) await context.err(`${open.map(one => shown(one.bundle, one.conflict)).join('\n')}\n`)
  const keys = counted(open.length, 'key')
  const what =
    unknown.length < open.length
      ? `${keys} changed here and on the server.`
      : open.every(({ bundle }) => bundle.isPutBack)
        ? `For ${keys} the files are as before a pull that no commit has: it was thrown away or edited back, and nobody can tell which.`
        : branch === undefined
          ? `The server has other texts for ${keys}, and no earlier pull tells which side changed.`
          : `The server has other texts for ${keys}: they came here on ${branch}, the last commits of this branch do not have them, and nobody can tell which side changed.`
  const conflicts = open.map(({ bundle, conflict }) => conflictDocument(bundle, conflict))
  const first = branch === undefined ? 'Give' : `Merge ${branch}, or give`
  return new Problem(`${what} ${undone}`, {
    hint: `${first} --prefer theirs to take what the server has, --prefer yours to keep what the files have, or choose key by key in a terminal.`,
    data: { conflicts },
  })
}

/** With its place, where the file has the key. */
export function shown(
  { file, local, elsewhere, isPutBack }: Found,
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
      : isPutBack
        ? ['  base    (a pull that no commit has: this is as it was before that)']
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
