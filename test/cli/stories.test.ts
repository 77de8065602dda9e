/**
 * The pages of docs/cli.md, as a new user follows them: each against one server, in an organization and a folder of its
 * own. `UPDATE=1` writes what came into the page, `STORY=<name>` tells only one.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { build } from '../bundled.ts'
import { type Server, startServer } from '../contract/server.ts'
import { main as program } from './command.ts'
import { differences, isStep, readStory, rewrite, type Story, storyOf, tell } from './story.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(import.meta.dirname, 'stories')
const names = readdirSync(folder)
  .filter(name => name.endsWith('.md'))
  .map(name => name.slice(0, -3))
const { STORY: only, UPDATE: update } = process.env
/** So many at once: a command is mostly its start. */
const AT_ONCE = 3

/** A folder for the homes of stories, outside of this checkout, which is no repository of theirs. */
function homes(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'p'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Tells it in a new organization: `$TOKEN` may write there, `$READ_TOKEN` read; none is in use. */
async function told(server: Server, story: Story, home: string): Promise<string[]> {
  const owner = await server.signUp('Ann')
  await server.createOrganization(owner, `acme-${basename(home)}`)
  const { key } = await server.mint(owner)
  const read = await server.mint(owner, 'readers', 'read')
  mkdirSync(home)
  const { port } = new URL(server.base)
  return tell(story, { folder: home, port, program, env: { TOKEN: key, READ_TOKEN: read.key } })
}

t.test('what the pages tell to type does what they show', async t => {
  build()
  const home = homes(t)
  const server = await startServer(t)
  const left = names.filter(name => only === undefined || name === only)
  const results = new Map<string, { story: Story; came: string[] }>()
  const next = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const story = readStory(join(folder, `${name}.md`))
      results.set(name, { story, came: await told(server, story, join(home, name)) })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  for (const [name, { story, came }] of results) {
    const file = join(folder, `${name}.md`)
    if (update) {
      rewrite(file, story, came)
      continue
    }
    const wrong = differences(story, came)
    for (const { step, came } of wrong) {
      t.equal(came, step.shown, `test/cli/stories/${name}.md:${step.from} ${step.command}`)
    }
    t.equal(wrong.length, 0, `${name}: ${story.parts.filter(isStep).length} commands`)
  }
})

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
