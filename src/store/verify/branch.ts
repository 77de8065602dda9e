/** The branch and the tags: what they name, and whether the branch is where the server left it. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause, setImmediate as yieldToOthers } from 'node:timers/promises'
import { codeOf } from '../disk.ts'
import type { ObjectReader } from '../objects/objects.ts'
import { readBranch } from '../refs/read-refs.ts'
import { readCommit } from '../write/commit.ts'
import type { JournalCommit } from '../write/journal.ts'
import { count, type Finding, type Found, RESTORE } from './finding.ts'

/** Where the branch is. */
export interface Branch {
  /** Undefined when it cannot be read, null when there is none yet. */
  commit: string | null | undefined
  /** Where the server left it, when that is a commit that can be read. */
  known?: string | undefined
  /** Whether people's commits wait for the next start, which judges and mends them. */
  moved: boolean
}

interface Options {
  gitDir: string
  reader: ObjectReader
  /** What the journals hold; nothing while a server runs. */
  acknowledged: JournalCommit[]
  running: boolean
  signal: AbortSignal
}

const ID = /^[0-9a-f]{40}$/
const REF = '.git/refs/heads/main'
/** A server notes where it left the branch a moment after it has moved it. */
const LOOKS = 4
const APART_MS = 300

/** Compares the branch with what the server noted last and with the journals. */
export async function verifyBranch(options: Options, found: Found): Promise<Branch> {
  const { gitDir, reader, acknowledged, running, signal } = options
  const read = async () => ({
    note: await readNote(gitDir),
    commit: await readBranch(gitDir).catch(error => error as Error),
  })
  let { note, commit } = await read()
  for (let look = 1; running && commit !== note && look < LOOKS; look++) {
    await pause(APART_MS, undefined, { signal })
    ;({ note, commit } = await read())
  }
  const known = note !== undefined && isCommit(reader, note) ? note : undefined
  const wrong = (what: string): Branch => {
    const last = known ?? acknowledged.map(({ before }) => before).find(id => id !== null && isCommit(reader, id))
    const todo = last
      ? `With the server stopped, write ${last} and a line break into the file: the last commit that is known to have been sealed.`
      : RESTORE
    found({ severity: 'error', path: REF, what, todo })
    return { commit: undefined, known, moved: false }
  }
  if (commit instanceof Error) return wrong(`The branch cannot be read: ${commit.message}.`)
  if (commit === null && note !== undefined)
    return wrong(`The branch main is gone; the server left it at ${note.slice(0, 60)}.`)
  if (commit !== null && !isCommit(reader, commit)) {
    return wrong(`main names ${commit}, which is no commit that can be read here.`)
  }
  unsealed(acknowledged.filter(({ after }) => !reader.has(after)).length, found)
  const moved = commit !== null && commit !== note && !acknowledged.some(({ after }) => after === commit)
  const finding = moved && !running ? await compare(reader, commit!, note, known) : undefined
  if (finding) found(finding)
  return { commit, known, moved }
}

function unsealed(writes: number, found: Found): void {
  if (writes === 0) return
  found({
    severity: 'note',
    path: '.git/parlance',
    what: `The journal holds ${count(writes, 'acknowledged write')} not yet sealed into git.`,
    todo: 'Nothing: the next start of the server does it.',
  })
}

/** What to say of a branch that is not where the server left it. */
async function compare(
  reader: ObjectReader,
  commit: string,
  note: string | undefined,
  noted: string | undefined,
): Promise<Finding | undefined> {
  const path = REF
  if (note === undefined) {
    return {
      severity: 'note',
      path: '.git/parlance/head',
      what: 'The server has no note of where it left the branch, as in a repository that was brought here.',
      todo: 'Nothing: the next start judges all files.',
    }
  }
  if (noted === undefined) {
    return {
      severity: 'warning',
      path: '.git/parlance/head',
      what: `The server noted that it left the branch at ${note.slice(0, 60)}, which is no commit that can be read here.`,
      todo: `If nobody rewrote the history, the file or objects were damaged: what other findings say of objects comes first; else remove the file, and the next start judges all files.`,
    }
  }
  if (await descends(reader, commit, noted)) {
    return {
      severity: 'note',
      path,
      what: `Somebody made commits while no server ran: main is at ${commit}, the server left it at ${noted}.`,
      todo: 'Nothing: the next start judges them and takes them over.',
    }
  }
  return {
    severity: 'warning',
    path,
    what: `main was moved to ${commit}, which does not hold ${noted}, where the server left it.`,
    todo: `If nobody meant that, write ${noted} and a line break into the file, with the server stopped; else the next start takes it over.`,
  }
}

async function descends(reader: ObjectReader, commit: string, from: string): Promise<boolean> {
  const seen = new Set<string>([commit])
  const waiting = [commit]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === from) return true
    const object = reader.read(next)
    for (const parent of object?.type === 'commit' ? readCommit(object.bytes).parents : []) {
      if (!seen.has(parent)) waiting.push(parent)
      seen.add(parent)
    }
    if (seen.size % 500 === 0) await yieldToOthers()
  }
  return false
}

async function readNote(gitDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(gitDir, 'parlance', 'head'), 'utf8')).trim()
  } catch {
    return undefined
  }
}

function isCommit(reader: ObjectReader, id: string): boolean {
  if (!ID.test(id)) return false
  try {
    return reader.read(id)?.type === 'commit'
  } catch {
    return false
  }
}

/** Checks every ref but the branch; returns the ids that they name, for a walk through all that is reachable. */
export async function verifyRefs(gitDir: string, reader: ObjectReader, found: Found): Promise<string[]> {
  const ids = new Set<string>()
  for (const [ref, value] of await readRefs(gitDir)) {
    if (ref === 'refs/heads/main' || value.startsWith('ref: ')) continue
    if (ID.test(value) && reader.has(value)) ids.add(value)
    else {
      const what = `${ref} names ${JSON.stringify(value.slice(0, 60))}, which is no object here.`
      const todo = `Write the right id into it from a clone or the backup (\`git ls-remote\` there shows it), or delete the ref.`
      found({ severity: 'error', path: `.git/${ref}`, what, todo })
    }
  }
  return [...ids]
}

/** Every ref, a loose one before its packed version. */
async function readRefs(gitDir: string): Promise<Map<string, string>> {
  const refs = new Map<string, string>()
  const packed = await readFile(join(gitDir, 'packed-refs'), 'utf8').catch(() => '')
  for (const line of packed.split('\n')) {
    const [, id, ref] = /^([^#^ ]\S*) (refs\/\S.*)$/.exec(line) ?? []
    if (id !== undefined && ref !== undefined) refs.set(ref, id)
  }
  const entries = await readdir(join(gitDir, 'refs'), { withFileTypes: true, recursive: true })
  for (const entry of entries) {
    if (!entry.isFile() || entry.name.endsWith('.lock')) continue
    const path = join(entry.parentPath, entry.name)
    try {
      refs.set(path.slice(gitDir.length + 1).replaceAll('\\', '/'), (await readFile(path, 'utf8')).trim())
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
  return refs
}
