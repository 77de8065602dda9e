/** Compares the bytes of the API, of HEAD, of the work tree and of a fresh clone. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { git, type Organization, type Server } from '../contract/server.ts'
import { must } from '../http/git-client.ts'

/** The blob id of the bytes. */
export function blobId(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** The files of HEAD: blob ids by path. */
function filesOfHead(repository: string): Map<string, string> {
  const lines = git(repository, 'ls-tree', '-r', 'HEAD').split('\n').filter(Boolean)
  return new Map(lines.map(line => [line.split('\t')[1]!, line.split(/[ \t]/)[2]!]))
}

/** Blob ids by path, as the API serves the bytes; `complaints` gets what it says otherwise than it serves. */
async function filesOfApi(server: Server, { key }: Organization, complaints: string[]): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const { slug } of (await server.must('GET', '/api/projects', { key })).json.projects) {
    const { languages, namespaces } = (await server.must('GET', `/api/projects/${slug}`, { key })).json
    for (const language of languages) {
      for (const namespace of namespaces) {
        const path = `/api/projects/${slug}/bundles/${language}/${namespace}`
        const { bytes, headers } = await server.must('GET', path, { key })
        const id = blobId(bytes)
        if (headers.etag !== `W/"${id}"`) complaints.push(`${path}: the tag is ${headers.etag}, the bytes are ${id}`)
        // What does not exist reads as an empty bundle.
        if (bytes.toString() !== '{}\n') files.set(`${slug}/locales/${language}/${namespace}.json`, id)
      }
    }
  }
  return files
}

function differences(what: string, found: Map<string, string>, head: Map<string, string>): string[] {
  const paths = new Set([...found.keys(), ...head.keys()])
  return [...paths]
    .filter(path => found.get(path) !== head.get(path))
    .map(path => `${what}: ${path} is ${found.get(path)}, in HEAD ${head.get(path)}`)
}

function filesIn(folder: string, paths: Iterable<string>): Map<string, string> {
  const there = [...paths].filter(path => existsSync(join(folder, path)))
  return new Map(there.map(path => [path, blobId(readFileSync(join(folder, path)))]))
}

/** The number of commits, and of those with an external edit. */
export function commitsOf(repository: string): { all: number; outside: number } {
  const authors = git(repository, 'log', '--format=%ae').split('\n').filter(Boolean)
  return { all: authors.length, outside: authors.filter(email => email === 'outside@parlance.invalid').length }
}

/**
 * What does not agree, of one organization at rest; nothing when all does. Its repository and a fresh clone also pass
 * git's strictest check.
 * @param folder where the clone goes, and is removed again
 */
export async function disagreements(server: Server, organization: Organization, folder: string): Promise<string[]> {
  const complaints: string[] = []
  const repository = server.repository(organization.id)
  const clone = join(folder, `clone-${organization.id}`)
  const url = `${server.base.replace('http://', `http://x:${organization.key}@`)}/api/translations.git`
  await must(['clone', '-q', url, clone])
  const head = filesOfHead(repository)
  const bundles = new Map([...head].filter(([path]) => path.includes('/locales/')))
  complaints.push(...differences('API', await filesOfApi(server, organization, complaints), bundles))
  complaints.push(...differences('work tree', filesIn(repository, head.keys()), head))
  complaints.push(...differences('clone', filesIn(clone, head.keys()), head))
  for (const where of [repository, clone]) {
    const status = git(where, 'status', '--porcelain')
    if (status !== '') complaints.push(`git status of ${where}: ${status.slice(0, 500)}`)
    try {
      git(where, 'fsck', '--full', '--strict')
    } catch (error) {
      complaints.push(`git fsck of ${where}: ${String((error as { stderr?: string }).stderr)}`)
    }
  }
  rmSync(clone, { recursive: true, force: true })
  return complaints
}
