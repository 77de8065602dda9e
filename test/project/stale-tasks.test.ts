import t from 'tap'
import { readTask } from '../../src/project/precompute.ts'
import { NamespaceStale, type StaleConcern } from '../../src/project/stale-tasks.ts'
import { sourceChanges } from '../../src/project/staleness.ts'
import { Overlay, type State } from '../../src/project/state.ts'

const EMPTY: State = {
  organization: 'acme',
  entry: () => undefined,
  list: () => [],
  read: () => undefined,
  namesLike: () => [],
}
const bytes = (texts: object) => Buffer.from(`${JSON.stringify(texts, null, 2)}\n`)

t.test('a task has another key when the source is removed than when it stays', async t => {
  const before = new Overlay(EMPTY)
  before.put('web/locales/en/common.json', bytes({ a: 'A' }))
  before.put('web/locales/de/common.json', bytes({ a: 'Ä' }))
  const keyAfter = (change: (state: Overlay) => void, sourceChanged: boolean) => {
    const after = Object.assign(new Overlay(before), { before })
    after.put('web/locales/de/common.json', bytes({ a: 'Ää' }))
    change(after)
    const concern: StaleConcern = {
      slug: 'web',
      namespace: 'common',
      source: 'en',
      sourceChanged,
      isReset: false,
      targets: ['de'],
      touched: new Set(sourceChanged ? ['de', 'en'] : ['de']),
      hints: {},
    }
    const entries = new NamespaceStale(after, concern)
    if (sourceChanged) entries.found = sourceChanges(readTask(entries.sourceTask().read()))
    const [task] = [...entries.staleTasks()]
    return task!.variant
  }
  const stays = keyAfter(() => {}, false)
  const goes = keyAfter(state => state.remove('web/locales/en/common.json'), true)
  t.not(stays, goes)
})
