/** Parallel writes of source texts. Some have more translations to look at than a write may compute in place. */
import t from 'tap'
import { startServer } from '../../contract/server.ts'

const CLIENTS = 64
const WRITES = 16
const KEYS = 225
const LANGUAGES = 'de,fr,es,it,pl,nl,pt,sv,da,fi,cs,sk,hu,ro,bg,el,tr,ru,uk,hr,sl,lt,lv,et,ja,ko,zh,ar,he'.split(',')

t.test('commits each write that other writes overtake', async t => {
  const server = await startServer(t)
  const { key } = await server.organization()
  await server.project(key, 'web')
  const bundle = (language: string) => `/api/projects/web/bundles/${language}/common`
  const texts = Object.fromEntries(Array.from({ length: KEYS }, (_, at) => [`key${at}`, `Text ${at}. `.repeat(10)]))
  for (const language of ['en', ...LANGUAGES]) await server.put(bundle(language), key, texts)
  let next = 0
  const statuses: number[] = []
  const write = async () => {
    for (let nth = 0; nth < WRITES; nth++) {
      const { status } = await server.put(`${bundle('en')}/key${next % KEYS}`, key, { value: `Changed ${next++}` })
      statuses.push(status)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, write))
  t.strictSame(new Set(statuses), new Set([200]))
})
