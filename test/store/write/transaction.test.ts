import t from 'tap'
import { atOnce } from '../../../src/scheduling/steps.ts'
import { hashObject } from '../../../src/store/objects/object.ts'
import { Tree, type TreeChange } from '../../../src/store/objects/tree.ts'
import type { Objects } from '../../../src/store/snapshot.ts'
import { OpenTransaction } from '../../../src/store/write/transaction.ts'
import { random } from '../../random.ts'

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

/** A tree of files and folders that a person committed: each third file has the mode of programs. */
function committed(): { objects: Objects; root: string; paths: string[] } {
  const trees = new Map<string, Tree>([[Tree.EMPTY.id, Tree.EMPTY]])
  const paths: string[] = []
  const write = (path: string, depth: number): string => {
    const entries: [name: string, mode: string, id: string][] = []
    for (let at = 0; at < 6; at++) {
      const below = path === '' ? `f${at}` : `${path}/f${at}`
      if (depth > 0 && at < 2) entries.push([`f${at}`, '40000', write(below, depth - 1)])
      else {
        paths.push(below)
        entries.push([`f${at}`, at % 3 === 0 ? '100755' : '100644', hashObject('blob', Buffer.from(below))])
      }
    }
    const bytes = entries.map(([name, mode, id]) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
    )
    const tree = Tree.parse(Buffer.concat(bytes))
    trees.set(tree.id, tree)
    return tree.id
  }
  const root = write('', 2)
  const objects = {
    owner: 'acme',
    tree: (id: string) => trees.get(id)!,
    blob: () => Buffer.from('x'),
    rememberBlob() {},
    remember() {},
  }
  return { objects: objects as unknown as Objects, root, paths }
}

t.test('a commit depends on the last change of each file alone, not on reads between', async t => {
  const { objects, root, paths } = committed()
  const head = { commit: null, root, time: 0 }
  const built = (tx: OpenTransaction) => {
    const commit = atOnce(tx.commit({ author: 'Ann <ann@example.com>', time: 1, message: 'x' }))
    const { changes } = commit?.record ?? { changes: [] }
    return [commit?.head.root, changes.map(({ path, before, after }) => [path, before, after]).sort()]
  }
  for (let round = 0; round < 300; round++) {
    const few = paths.concat('f0/new', 'new/a/b').filter(() => random() < 0.2)
    const [read, plain] = [new OpenTransaction(objects, head), new OpenTransaction(objects, head)]
    const last = new Map<string, string | null>()
    for (let change = 0; change < 20 && few.length > 0; change++) {
      const path = few[Math.trunc(random() * few.length)]!
      // Half of the changes bring a file back as it was.
      const text = random() < 0.2 ? null : random() < 0.5 ? path : `${change}`
      last.set(path, text)
      if (text === null) read.remove(path)
      else read.put(path, Buffer.from(text))
      const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
      const look = [
        () => read.root,
        () => read.list(folder),
        () => read.namesLike(folder, 'F0'),
        () => read.entry(folder),
      ]
      if (random() < 0.7) look[Math.trunc(random() * look.length)]!()
    }
    for (const [path, text] of last) {
      if (text === null) plain.remove(path)
      else plain.put(path, Buffer.from(text))
    }
    t.strictSame(built(read), built(plain))
  }
})

t.test('a refused path leaves no trace in the change', async t => {
  const { objects, root } = committed()
  const tx = new OpenTransaction(objects, { commit: null, root, time: 0 })
  for (const path of ['f2/a', 'f0', 'f1/f0', 'f0/f2/a/b']) {
    t.throws(() => tx.put(path, Buffer.from('x')), path)
    t.equal(tx.root, root)
  }
})
