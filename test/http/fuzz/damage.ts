/** Checks after a flood of bad requests: the data folder, the repository and the reads are undamaged. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Test } from 'tap'
import { checkLanguage, checkNamespace, checkSlug } from '../../../src/bundle/names.ts'
import { eventually, git } from '../../contract/server.ts'
import type { Organization, Server } from '../server.ts'

/** The contents of every path below a folder, without `.git`: the server changes `.git` in the background. */
export function treeOf(folder: string): Map<string, string> {
  const tree = new Map<string, string>()
  const walk = (path: string) => {
    for (const name of readdirSync(path)) {
      if (name === '.git') continue
      const child = join(path, name)
      const stat = lstatSync(child)
      if (stat.isDirectory()) {
        tree.set(`${relative(folder, child)}/`, '')
        walk(child)
      } else {
        const kind = stat.isFile() ? createHash('sha1').update(readFileSync(child)).digest('hex') : 'no file'
        tree.set(relative(folder, child), kind)
      }
    }
  }
  walk(folder)
  return tree
}

/** Files of the server itself, outside the organizations. Their contents change. */
const OWN = /^(parlance\.sqlite(-wal|-shm)?|secret|lock(-journal)?|organizations\/|organizations\/\.probe)$/

/** Asserts that no path outside the folders of `open` is new, changed or gone. */
export function nothingOutside(t: Test, before: Map<string, string>, after: Map<string, string>, open: string[]): void {
  const own = (path: string) => open.some(id => path.startsWith(`organizations/${id}/`))
  const changed = [...after].filter(([path, content]) => !own(path) && !OWN.test(path) && before.get(path) !== content)
  const gone = [...before.keys()].filter(path => !own(path) && !OWN.test(path) && !after.has(path))
  t.strictSame(changed, [], 'nothing was created or changed outside')
  t.strictSame(gone, [], 'nothing was removed outside')
}

const AUTHOR = /^author ([^<>\n]*) <([^<>\n]*)> \d+ \+0000$/

/** Asserts that the repository passes a strict fsck, and that all commits hold allowed paths only. */
export async function repositoryIsSound(t: Test, server: Server, { id }: Organization): Promise<void> {
  await server.sealed(id)
  const folder = server.repository(id)
  t.doesNotThrow(() => git(folder, 'fsck', '--full', '--strict'), 'git fsck --full --strict')
  t.ok(await eventually(() => git(folder, 'status', '--porcelain') === ''), 'git status is clean')
  const paths = git(folder, 'log', '--all', '--format=', '--name-only', '-z', '--no-renames')
    .split('\0')
    .filter(Boolean)
  for (const path of new Set(paths)) t.ok(belongs(path), JSON.stringify(path))
  for (const [commit, text] of commitsOf(folder)) {
    const [head = '', ...rest] = text.split('\n\n')
    const [tree, ...lines] = head.split('\n')
    const names = lines.map(line => line.split(' ')[0])
    if (
      !/^tree [0-9a-f]{40}$/.test(String(tree)) ||
      !/^(parent,)?author,committer$/.test(names.join()) ||
      rest.length > 2 ||
      !AUTHOR.test(lines.at(-2) ?? '')
    ) {
      t.fail(`commit ${commit}: ${JSON.stringify([head, ...rest])}`)
    }
  }
}

/** The raw text of all commits by id, read by one git process. */
function commitsOf(folder: string): [id: string, text: string][] {
  const options = { input: git(folder, 'rev-list', '--all'), maxBuffer: 1 << 28 }
  const all = execFileSync('git', ['-c', 'safe.directory=*', '-C', folder, 'cat-file', '--batch'], options)
  const commits: [string, string][] = []
  for (let at = 0; at < all.length; ) {
    const start = all.indexOf('\n', at) + 1
    const [id = '', , size] = all.toString('latin1', at, start).split(' ')
    at = start + Number(size) + 1
    commits.push([id, all.toString('utf8', start, at - 1)])
  }
  return commits
}

/** Whether the rules for names allow a path of the repository. */
function belongs(path: string): boolean {
  if (path === 'glossary.json') return true
  const [, slug = '', ofKeys, language, ofTexts] =
    /^([^/]+)\/(?:(?:project|glossary)\.json|(?:stale|notes|comments)\/([^/]+)\.json|(?:locales|marks|suggestions)\/([^/]+)\/([^/]+)\.json)$/.exec(
      path,
    ) ?? []
  try {
    checkSlug(slug)
    if (language !== undefined) checkLanguage(language)
    for (const namespace of [ofKeys, ofTexts]) if (namespace !== undefined) checkNamespace(namespace)
    return true
  } catch {
    return false
  }
}

/** Asserts that a read of every bundle returns the file of the branch. */
export async function readsAreRight(t: Test, server: Server, { id, key }: Organization): Promise<void> {
  await server.sealed(id)
  const folder = server.repository(id)
  const paths = git(folder, 'ls-tree', '-r', '-z', '--name-only', 'HEAD').split('\0').filter(Boolean)
  const slugs = paths.filter(path => path.endsWith('/project.json')).map(path => path.slice(0, -'/project.json'.length))
  const listed: { slug: string }[] = (await server.get('/api/projects', key)).json.projects
  t.strictSame(listed.map(({ slug }) => slug).sort(), slugs.sort(), 'the projects are those of the branch')
  const wrong: string[] = []
  for (const path of paths) {
    const [, slug, language, namespace] = /^(.+)\/locales\/(.+)\/(.+)\.json$/.exec(path) ?? []
    if (slug === undefined) continue
    const reply = await server.get(`/api/projects/${slug}/bundles/${language}/${namespace}`, key)
    if (reply.status !== 200 || reply.text !== git(folder, 'show', `HEAD:${path}`)) wrong.push(path)
  }
  t.strictSame(wrong, [], `each of ${paths.length} files is read byte for byte`)
}
