/** The guides of docs/ as written, for the API's pages. */
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { FastifyReply } from 'fastify'
import { nothingHere } from '../answers/errors.ts'

/** Guides by file name, each with its question. */
export const GUIDES = {
  api: 'what each route accepts and answers',
  'keys-and-plurals': 'keys, plurals, and which of them are refused',
  translators: 'how to translate in the dashboard',
  'bulk-reads': 'many bundles in one request',
  types: 'keys checked by TypeScript',
  status: 'what is translated, and what is stale',
  context: 'how to explain a key to translators',
  glossary: 'which words a product uses',
  memory: 'how similar texts were translated',
  'machine-translation': 'machine translators, their costs, and what is refused',
  mcp: 'tools for agents',
  'history-and-restore': 'who changed what, and how to get it back',
  'live-events': 'each commit as an event',
  agents: 'what a coding agent does in a project',
  cli: 'the CLI for developers',
  ci: 'checks and pushes in CI',
  teams: 'invitations, roles, the second factor, sign-in by a provider',
  review: 'who may translate which language',
  inbox: 'what concerns a user, as list, feed and mail',
  'clone-and-backup': 'cloning, backing up, restoring a server',
  operating: 'running a server',
  limits: 'all limits',
  reliability: 'what was broken on purpose, and the results',
  benchmarks: 'how fast it is',
  architecture: 'how the code is divided',
}

/** Beside the sources or the build. */
const root = ['..', '../..', '../../..']
  .map(path => join(import.meta.dirname, path))
  .find(path => existsSync(join(path, 'docs/api.md')))

/** The stories of the command line, which its guide leads to. */
const STORIES = 'test/cli/stories'

/** What is served, `cli` or `stories/together`, with its file from the root. */
const PAGES = new Map(Object.keys(GUIDES).map(name => [name, `docs/${name}.md`]))
if (root !== undefined && existsSync(join(root, STORIES))) {
  for (const file of readdirSync(join(root, STORIES))) {
    PAGES.set(`stories/${file.replace(/\.md$/, '')}`, `${STORIES}/${file}`)
  }
}

/** Links for the description of the API; empty without the guides. */
export function guideLinks(): string {
  if (root === undefined) return ''
  const links = Object.entries(GUIDES).map(([name, what]) => `- [${name}](docs/guides/${name}.md): ${what}`)
  return `\n\nGuides:\n\n${links.join('\n')}`
}

/** The guide or story that a path ends in. */
export const guideIn = (path: string): string | undefined => /\/guides\/((?:stories\/)?[a-z-]+)\.md$/.exec(path)?.[1]

/** A guide as written. @throws Failure `not-found` */
export async function readGuide(name: keyof typeof GUIDES): Promise<Buffer> {
  if (root === undefined) throw nothingHere()
  return readFile(join(root, `docs/${name}.md`))
}

/** @throws Failure `not-found` */
export async function sendGuide(reply: FastifyReply, name: string): Promise<FastifyReply> {
  const file = PAGES.get(name)
  if (root === undefined || file === undefined) throw nothingHere()
  const text = await readFile(join(root, file), 'utf8')
  return reply
    .header('cache-control', 'no-cache')
    .type('text/plain; charset=utf-8')
    .send(linked(text, name, file))
}

/** The text with links from where it is served; of one to what is only in the repository its words are left. */
function linked(text: string, name: string, file: string): string {
  const served = new Map(Array.from(PAGES, ([page, path]) => [path, page]))
  return text.replace(/!?\[([^\]\n]*)\]\(([^)\s]+)\)/g, (link, words: string, target: string) => {
    if (/^(?:https?:|#)/.test(target)) return link
    const [path = '', anchor] = target.split('#')
    const page = served.get(posix.join(posix.dirname(file), path))
    if (page === undefined) return words
    const to = posix.relative(posix.dirname(name), `${page}.md`)
    return `[${words}](${to}${anchor === undefined ? '' : `#${anchor}`})`
  })
}
