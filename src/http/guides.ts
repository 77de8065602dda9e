/** The guides of docs/ as written, for the API's pages. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { nothingHere } from './errors.ts'

/** By file name, with what each answers. */
export const GUIDES = {
  api: 'what each route takes and answers',
  'keys-and-plurals': 'what a key and a plural are, and what is refused',
  'bulk-reads': 'many bundles in one request',
  types: 'keys that TypeScript knows',
  status: 'what is translated, and what is stale',
  'history-and-restore': 'who changed what, and how to get it back',
  'live-events': 'each commit as it comes',
  cli: 'the command line of developers',
  ci: 'checks and pushes in CI',
  teams: 'invitations, roles, the second factor, sign-in by a provider',
  'clone-and-backup': 'cloning, backing up, restoring a server',
  operating: 'running a server',
  limits: 'where the bounds are',
  reliability: 'what was broken on purpose, and what came of it',
  benchmarks: 'how fast it is',
  architecture: 'how the code is cut',
}

/** Beside the sources or the build. */
const folder = ['../docs', '../../docs']
  .map(path => join(import.meta.dirname, path))
  .find(path => existsSync(join(path, 'api.md')))

/** Links for the description of the API; empty without the guides. */
export function guideLinks(): string {
  if (folder === undefined) return ''
  const links = Object.entries(GUIDES).map(([name, what]) => `- [${name}](docs/guides/${name}.md): ${what}`)
  return `\n\nGuides:\n\n${links.join('\n')}`
}

/** The guide that a path ends in. */
export const guideIn = (path: string): string | undefined => /\/guides\/([a-z-]+)\.md$/.exec(path)?.[1]

/** @throws Failure `not-found` */
export async function sendGuide(reply: FastifyReply, name: string): Promise<FastifyReply> {
  if (folder === undefined || !Object.hasOwn(GUIDES, name)) throw nothingHere()
  const text = await readFile(join(folder, `${name}.md`), 'utf8')
  return reply.header('cache-control', 'no-cache').type('text/plain; charset=utf-8').send(text)
}
