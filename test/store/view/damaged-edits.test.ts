import t from 'tap'
import { Failure } from '../../../src/bundle/errors.ts'
import type { Snapshot } from '../../../src/store/snapshot.ts'
import { OutsideEdits } from '../../../src/store/view/outside-edits.ts'
import { Shown } from '../../../src/store/view/shown.ts'

t.test('a repository whose objects cannot be read keeps edits waiting, and brings nothing else down', async t => {
  const broken = () => {
    throw new Failure('unavailable', 'Git object 0000 is missing: the repository is damaged.')
  }
  const snapshot = { revision: null, root: '', entry: broken, list: broken, read: broken, at: broken } as Snapshot
  const warnings: string[] = []
  let missed = 0
  const edits = new OutsideEdits({
    root: t.testdir({ web: { locales: { en: { 'a.json': '{}' } } } }),
    gitDir: t.testdir(),
    log: { info() {}, warn: (_data: object, text: string) => void warnings.push(text), error() {} },
    shown: new Shown({ entry: () => undefined, list: () => [] } as unknown as Snapshot),
    snapshot: () => snapshot,
    adopt: async () => {},
    show: async () => {},
    alone: work => work(),
    lookInto: () => {},
    miss: () => {
      missed++
    },
  })
  await edits.takeIn(['web/locales/en/a.json'])
  t.ok(missed > 0, 'the next scan looks again')
  t.match(warnings[0], /could not be taken in/)
})
