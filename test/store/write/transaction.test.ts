import t from 'tap'
import { Tree, type TreeChange } from '../../../src/store/objects/tree.ts'
import type { Objects } from '../../../src/store/snapshot.ts'
import { OpenTransaction } from '../../../src/store/write/transaction.ts'

const FILES = 200

/** Entries that trees write during an action. */
function countEntries(act: () => void): number {
  const { changed } = Tree.prototype
  let count = 0
  Tree.prototype.changed = function (this: Tree, changes: readonly TreeChange[]) {
    count += changes.length
    return changed.call(this, changes)
  }
  try {
    act()
  } finally {
    Tree.prototype.changed = changed
  }
  return count
}

t.test('writes a bounded number of tree entries for each file when folders are read between two files', async t => {
  const objects = { owner: 'acme', tree: () => Tree.EMPTY } as unknown as Objects
  const reads: Record<string, (tx: OpenTransaction, folder: string, name: string) => unknown> = {
    'names in any case': (tx, folder, name) => tx.namesLike(folder, name.toUpperCase()),
    'a folder': (tx, folder) => tx.list(folder),
    'the id of a folder': (tx, folder) => tx.entry(folder)!.id,
    'the root': tx => tx.root,
  }
  for (const [name, read] of Object.entries(reads)) {
    const tx = new OpenTransaction(objects, { commit: null, root: Tree.EMPTY.id, time: 0 })
    const written = countEntries(() => {
      for (let at = 0; at < FILES; at++) {
        const [folder, file] = [`web/marks/${at % 10}`, `ns${at}.json`]
        tx.put(`${folder}/${file}`, Buffer.from(`${at}`))
        read(tx, folder, file)
      }
    })
    t.ok(written <= 4 * FILES, `${name}: ${written} entries`)
    t.equal(tx.list('web/marks').length, 10)
    for (let at = 0; at < FILES; at += 2) tx.remove(`web/marks/${at % 10}/ns${at}.json`)
    t.equal(tx.list('web/marks').length, 5, 'empty folders are gone')
    t.same(tx.namesLike('web/marks/1', 'NS1.json'), ['ns1.json'])
  }
})
