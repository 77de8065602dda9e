/** The tree of an import's plan. */
import t from 'tap'
import { groupKeys, type KeyGroup } from '../../../src/dashboard/project/placed-files.ts'

interface Key {
  key: string
}

const isGroup = (one: Key | KeyGroup<Key>): one is KeyGroup<Key> => 'prefix' in one

/** The whole tree, as `[prefix, […]]` and keys. */
const treeOf = (keys: readonly Key[], said = ''): unknown[] =>
  groupKeys(keys, said).map(one => (isGroup(one) ? [one.prefix, treeOf(one.members, one.prefix)] : one.key))

t.test(
  'keys stand under what they begin with, in the order of the first one; what is alone stands by itself',
  async t => {
    const keys = ['nav.home', 'title', 'nav.cart.open', 'nav.cart.close', 'only.one.deep', 'nav', 'a.', 'a..b', 'a..c']
    t.strictSame(treeOf(keys.map(key => ({ key }))), [
      ['nav.', ['nav.home', ['nav.cart.', ['nav.cart.open', 'nav.cart.close']]]],
      'title',
      'only.one.deep',
      'nav',
      ['a.', ['a.', ['a..', ['a..b', 'a..c']]]],
    ])
  },
)
