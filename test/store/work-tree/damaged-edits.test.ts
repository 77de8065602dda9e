import t from 'tap'
import { Failure } from '../../../src/bundle/errors.ts'
import { computeHere } from '../../../src/project/offload.ts'
import { SILENT } from '../../../src/store/log.ts'
import type { Snapshot } from '../../../src/store/snapshot.ts'
import { ExternalEdits } from '../../../src/store/work-tree/external-edits.ts'
import { LastWritten } from '../../../src/store/work-tree/last-written.ts'
import { newFolder } from '../../new-folder.ts'

t.test('edits wait for a repository with unreadable objects, and nothing else fails', async t => {
  const broken = () => {
    throw new Failure('unavailable', 'Git object 0000 is missing: the repository is damaged.')
  }
  const snapshot = {
    organization: '',
    revision: null,
    root: '',
    entry: broken,
    list: broken,
    read: broken,
    namesLike: broken,
    at: broken,
    commitOrigin: broken,
  } as Snapshot
  const edits = new ExternalEdits({
    root: t.testdir({ web: { locales: { en: { 'a.json': '{}' } } } }),
    gitDir: newFolder(t),
    log: SILENT,
    written: new LastWritten({ entry: () => undefined, list: () => [] } as unknown as Snapshot),
    snapshot: () => snapshot,
    adopt: async () => {},
    compute: computeHere,
    show: async () => {},
    alone: work => work(),
    lookInto: () => {},
  })
  await t.rejects(edits.commit(['web/locales/en/a.json']), { code: 'unavailable' }, 'they are given to it again')
})
