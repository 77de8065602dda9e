/** Renders acknowledged commits again from their records. */
import { slices } from '../../scheduling/slices.ts'
import { inSlices } from '../../scheduling/steps.ts'
import { applyDelta } from '../objects/delta.ts'
import type { PackBuilder } from '../objects/pack-builder.ts'
import type { Head, Objects } from '../snapshot.ts'
import type { JournalCommit } from './journal.ts'
import { OpenTransaction } from './transaction.ts'

/**
 * Commits the records again on top of the head, in memory. Their objects go into the pack, one of the unsealed packs of
 * `objects`.
 * @param options.exact demands the acknowledged ids. Without it (a person's commits came between) contents win and
 * history has both
 * @param options.replaced gets the ids of replaced blobs and trees
 * @throws Error when a commit gets another id
 */
export async function replay(
  objects: Objects,
  pack: PackBuilder,
  from: Head,
  records: JournalCommit[],
  { exact, replaced }: { exact: boolean; replaced?: string[] },
): Promise<Head> {
  let head = from
  const pause = slices()
  for (const record of records) {
    const transaction = new OpenTransaction(objects, head)
    for (const { path, after, base, data } of record.changes) {
      await pause()
      if (after === null) transaction.remove(path)
      else transaction.put(path, base === null ? data : applyDelta(objects.blob(base), data))
    }
    const { author, message } = record
    const made = await inSlices(transaction.commit({ author, message, time: Math.max(record.time, head.time) }))
    made?.addTo(pack)
    if (exact && made?.head.commit !== record.after) {
      throw new Error(`replaying ${record.after} gave ${made?.head.commit} instead`)
    }
    for (const id of made?.replaced ?? []) replaced?.push(id)
    head = made?.head ?? head
  }
  return head
}
