/**
 * The pages of docs/cli.md, as a new user follows them: each against one server, in an organization and a folder of its own. `UPDATE=1` writes what came
 * into the page, `STORY=<name>` tells only one.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { bundled } from '../bundled.ts'
import { type Server, startServer } from '../contract/server.ts'
import { differences, isStep, readStory, rewrite, type Story, tell } from './story.ts'

const folder = join(import.meta.dirname, 'stories')
const names = readdirSync(folder)
  .filter(name => name.endsWith('.md'))
  .map(name => name.slice(0, -3))
const { STORY: only, UPDATE: update } = process.env
const program = bundled(join(import.meta.dirname, '../../src/cli/main.ts'))
/** So many at once: a command is mostly its start. */
const AT_ONCE = 3

/** Tells it with a token of each scope in `$TOKEN`, `$ADD_TOKEN` and `$READ_TOKEN`, and none in use. */
async function told(server: Server, name: string, home: string): Promise<{ story: Story; came: string[] }> {
  const { owner, key } = await server.organization()
  const [add, read] = [await server.mint(owner, 'app', 'add'), await server.mint(owner, 'readers', 'read')]
  const story = readStory(join(folder, `${name}.md`))
  mkdirSync(home)
  const env = { TOKEN: key, ADD_TOKEN: add.key, READ_TOKEN: read.key }
  return { story, came: await tell(story, { folder: home, port: new URL(server.base).port, program, env }) }
}

t.test('what the pages tell to type does what they show', async t => {
  // Outside of this checkout, which is no repository of the story's.
  const home = mkdtempSync(join(tmpdir(), 'p'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const server = await startServer(t)
  const left = names.filter(name => only === undefined || name === only)
  const results = new Map<string, Awaited<ReturnType<typeof told>>>()
  const next = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      results.set(name, await told(server, name, join(home, name)))
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
