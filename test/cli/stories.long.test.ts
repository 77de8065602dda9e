/** The other pages of docs/cli.md, and docs/ci.md: see `stories.ts`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { build } from '../bundled.ts'
import { startServer } from '../contract/server.ts'
import { FURTHER, homes, tellAll, told } from './stories.ts'
import { storyOf } from './story.ts'

const root = join(import.meta.dirname, '../..')

t.test('what the pages tell to type does what they show', t => tellAll(t, FURTHER))

/** The lines of a job that are ours: what is fetched, and the commands. */
const LINE = /^ *- (?:run: )?((?:curl|node parlance\.mjs|echo) .*)$/gm

t.test('each line of docs/ci.md works, in a fresh checkout', async t => {
  build()
  const server = await startServer(t)
  const lines = [...readFileSync(join(root, 'docs/ci.md'), 'utf8').matchAll(LINE)].map(([, line = '']) =>
    line.replace(/\$\{\{ github\.sha \}\}/, '$CI_COMMIT_SHA'),
  )
  t.ok(lines.length > 8, `${lines.length} lines`)
  const page = [
    '```json parlance.config.json',
    '{ "project": "web" }',
    '```',
    '```json locales/en/common.json',
    '{ "save": "Save" }',
    '```',
    '```console',
    '$ export PARLANCE_URL=http://localhost:3000 PARLANCE_TOKEN=$TOKEN CI=true CI_COMMIT_SHA=e4f927de',
    '$ parlance init --yes && rm -r .parlance && sed -i s/Save/Keep/ locales/en/common.json',
    ...lines.map(line => `$ ${line}`),
    '$ parlance history --limit 1',
    '```',
  ]
  const home = homes(t)
  const came = await told(server, storyOf(page.join('\n')), join(home, 'ci'))
  for (const [index, line] of ['', '', ...lines].entries()) t.notMatch(came[index], /\[exit/, line)
  t.match(came.at(-1), 'e4f927de', 'the commit of the texts names the one of the code')
})
