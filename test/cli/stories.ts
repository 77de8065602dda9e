/**
 * The stories of docs/cli.md, as a new user follows them: each in an organization and a folder of its own, on one
 * server.
 * `UPDATE=1` writes the output into the stories, `STORY=<name>` runs only one. They are two hundred commands, each a
 * process: `stories.slow.test.ts` runs the first stories, `stories.long.test.ts` all others.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Test } from 'tap'
import { build } from '../bundled.ts'
import { type Server, startServer } from '../contract/server.ts'
import { main as program } from './command.ts'
import { differences, isStep, readStory, rewrite, type Story, tell } from './story.ts'

const folder = join(import.meta.dirname, 'stories')
/** The first stories of a new user. */
export const FIRST = ['first-steps', 'plurals', 'files']
/** All other pages. */
export const FURTHER = readdirSync(folder)
  .filter(name => name.endsWith('.md'))
  .map(name => name.slice(0, -3))
  .filter(name => !FIRST.includes(name))
const { STORY: only, UPDATE: update } = process.env
/** Stories at once: most of the time of a command is its start. */
const AT_ONCE = 3

/** A folder for the homes of stories, outside of this checkout, which is no repository of theirs. */
export function homes(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'p'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a story in a new organization: `$TOKEN` may write there, `$READ_TOKEN` may read. */
export async function told(server: Server, story: Story, home: string): Promise<string[]> {
  const owner = await server.signUp('Ann')
  await server.createOrganization(owner, `acme-${basename(home)}`)
  const { key } = await server.mint(owner)
  const read = await server.mint(owner, 'readers', 'read')
  mkdirSync(home)
  const { port } = new URL(server.base)
  return tell(story, { folder: home, port, program, env: { TOKEN: key, READ_TOKEN: read.key } })
}

/** Compares the output of stories with their text. */
export async function tellAll(t: Test, names: string[]): Promise<void> {
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
}
