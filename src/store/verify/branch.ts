/** The branch and the tags: what they name, and whether the branch is where the server left it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BRANCH, listRefs, readBranch, readRefs } from '../refs/read-refs.ts'
import type { Objects } from '../snapshot.ts'
import { isAncestor } from '../write/ancestors.ts'
import type { JournalCommit } from '../write/journal.ts'
import { count, RESTORE, type VerifyContext } from './finding.ts'

export interface BranchState {
  /** Undefined when unreadable, null when there is none yet. */
  commit: string | null | undefined
  known?: string | undefined
  /** Whether people's commits wait for the next start, which judges and mends them. */
  moved: boolean
}

const REF = `.git/${BRANCH}`
const NOTE = '.git/parlance/head'
/** A server notes where it left the branch a moment after it moved it. */
const LOOKS = 4
const APART_MS = 300

/**
 * Compares the branch with the server's last note. @param acknowledged the journals' commits; none while a server runs
 */
export async function verifyBranch(check: VerifyContext, acknowledged: JournalCommit[]): Promise<BranchState> {
  const { gitDir, objects, running, signal, report } = check
  const read = async () => ({
    note: await readFile(join(gitDir, 'parlance', 'head'), 'utf8').then(
      text => text.trim(),
      () => undefined,
    ),
    commit: await readBranch(gitDir).catch(error => error as Error),
  })
  let { note, commit } = await read()
  for (let look = 1; running && commit !== note && look < LOOKS; look++) {
    await pause(APART_MS, undefined, { signal })
    ;({ note, commit } = await read())
  }
  const known = note !== undefined && isCommit(objects, note) ? note : undefined
  const wrong = (what: string): BranchState => {
    const last = known ?? acknowledged.map(({ before }) => before).find(id => id !== null && isCommit(objects, id))
    const todo = last
      ? `With the server stopped, write ${last} and a line break into the file: the last commit that is known to have been sealed.`
      : RESTORE
    report.error(REF, what, todo)
    return { commit: undefined, known, moved: false }
  }
  if (commit instanceof Error) return wrong(`The branch cannot be read: ${commit.message}.`)
  if (commit === null && note !== undefined)
    return wrong(`The branch main is gone; the server left it at ${note.slice(0, 60)}.`)
  if (commit !== null && !isCommit(objects, commit)) {
    return wrong(`main names ${commit}, which is no commit that can be read here.`)
  }
  const unsealed = acknowledged.filter(({ after }) => !objects.has(after)).length
  if (unsealed > 0) {
    const what = `The journal holds ${count(unsealed, 'acknowledged write')} not yet sealed into git.`
    report.note('.git/parlance', what, 'Nothing: the next start of the server does it.')
  }
  const moved = commit !== null && commit !== note && !acknowledged.some(({ after }) => after === commit)
  if (moved && !running) await compare(check, commit!, note, known)
  return { commit, known, moved }
}

/** Says why a branch is not where the server left it. @param known `note`, if that commit can be read */
async function compare(
  { objects, report }: VerifyContext,
  commit: string,
  note: string | undefined,
  known: string | undefined,
): Promise<void> {
  if (note === undefined) {
    const what = 'The server has no note of where it left the branch, as in a repository that was brought here.'
    report.note(NOTE, what, 'Nothing: the next start judges all files.')
  } else if (known === undefined) {
    report.warning(
      NOTE,
      `The server noted that it left the branch at ${note.slice(0, 60)}, which is no commit that can be read here.`,
      'Unless a person rewrote the history, the file or objects were damaged: what other findings say of objects comes first; else remove the file, and the next start judges all files.',
    )
  } else if (await isAncestor(known, commit, objects)) {
    const what = `A person committed while no server ran: main is at ${commit}, the server left it at ${known}.`
    report.note(REF, what, 'Nothing: the next start judges and merges them.')
  } else {
    report.warning(
      REF,
      `main was moved to ${commit}, which does not hold ${known}, where the server left it.`,
      `Unless a person meant that, write ${known} and a line break into the file, with the server stopped; else the next start accepts it.`,
    )
  }
}

function isCommit(objects: Objects, id: string): boolean {
  try {
    return objects.find(id)?.type === 'commit'
  } catch {
    return false
  }
}

/** Checks every ref but the branch. @returns the ids they name */
export async function verifyRefs({ gitDir, objects, report }: VerifyContext): Promise<string[]> {
  const ids = new Set<string>()
  const held = await readRefs(gitDir, 'refs/')
  for (const ref of await listRefs(gitDir, 'refs/')) {
    const id = held.get(ref)
    const value = id ?? (await readFile(join(gitDir, ref), 'utf8').catch(() => ''))
    if (ref === BRANCH || value.startsWith('ref: ')) continue
    if (id !== undefined && objects.has(id)) ids.add(id)
    else {
      const what = `${ref} names ${JSON.stringify(value.trim().slice(0, 60))}, which is no object here.`
      const todo =
        'Write the right id into it from a clone or the backup (`git ls-remote` there shows it), or delete the ref.'
      report.error(`.git/${ref}`, what, todo)
    }
  }
  return [...ids]
}
