/** A project folder that a person renamed: what is refused stays in HEAD, whichever file is looked at first. */
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { computeHere } from '../../../src/project/offload.ts'
import { SILENT } from '../../../src/store/log.ts'
import { ExternalEdits } from '../../../src/store/work-tree/external-edits.ts'
import { LastWritten } from '../../../src/store/work-tree/last-written.ts'
import { newFolder } from '../../new-folder.ts'
import { MemoryHead } from '../memory-head.ts'

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`
const NAMES = ['project.json', 'locales/en/common.json', 'locales/de/common.json']
const PROJECT = { checks: { space: 'refuse' }, defaultFormat: 'i18next-json', name: 'Web', sourceLanguage: 'en' }
const START = {
  'web/project.json': json(PROJECT),
  'web/locales/en/common.json': json({ a: 'one' }),
  'web/locales/de/common.json': json({ a: 'eins ' }),
}
const ALL = ['web', 'app'].flatMap(slug => NAMES.map(name => `${slug}/${name}`))

for (const first of ALL) {
  for (const second of ALL.filter(path => path !== first)) {
    t.test(`first ${first}, then ${second}`, async t => {
      const root = newFolder(t)
      const gitDir = join(root, '.git')
      const head = new MemoryHead(gitDir, START)
      for (const [path, text] of Object.entries(START)) {
        fs.mkdirSync(dirname(join(root, path)), { recursive: true })
        fs.writeFileSync(join(root, path), text)
      }
      const edits = new ExternalEdits({
        ...{ root, gitDir, log: SILENT, written: new LastWritten(head.snapshot()), snapshot: head.snapshot },
        adopt: head.adopt,
        compute: computeHere,
        show: async path => {
          const bytes = head.snapshot().read(path)
          if (bytes === undefined) return fs.rmSync(join(root, path), { force: true })
          fs.mkdirSync(dirname(join(root, path)), { recursive: true })
          fs.writeFileSync(join(root, path), bytes)
        },
        alone: work => work(),
        lookInto: () => {},
      })
      fs.renameSync(join(root, 'web'), join(root, 'app'))
      for (const look of [[first], [second], ALL]) await edits.commit(look)
      const german = 'locales/de/common.json'
      t.equal(head.text(`web/${german}`), json({ a: 'eins ' }), 'the refused file stays')
      t.equal(head.text(`app/${german}`), undefined)
      t.equal(head.text('app/locales/en/common.json'), json({ a: 'one' }))
      t.equal(head.text('web/locales/en/common.json'), undefined, 'the others move')
    })
  }
}
