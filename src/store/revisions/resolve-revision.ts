/** Resolves a revision: the ways to name a past state, and the commit each means. */
import { Failure } from '../../bundle/errors.ts'
import { shorten } from '../../bundle/names.ts'
import { gitVersion } from '../git/git.ts'
import { commitBefore, idsStarting } from '../git/rev-list.ts'
import { readCommit } from '../objects/commit.ts'
import { readTag } from '../refs/read-refs.ts'
import { isTagName, readTagObject } from '../refs/tags.ts'
import { type Objects, unknownRevision } from '../snapshot.ts'
import { parseTime } from './iso-time.ts'
import { isCommitWithin, newestChange } from './newest-change.ts'
import { askGit, followFirstParents, type LookAtPast, type RunGit } from './past.ts'

/** A past state: its commit's full id, null before the first; `exact`: the caller gave that very id. */
export interface Resolved {
  revision: string | null
  exact: boolean
}

/** As git's own `^`: what the main line was before a commit. */
const BEFORE = /^([^^]+)\^$/
const FULL_ID = /^[0-9a-f]{40}$/i
const SHORT_ID = /^[0-9a-f]{4,39}$/i
/** Longest chain of tags on tags; git's own tools create one level. */
const MOST_TAGS = 10
/** Bytes of a past time and its commit in a cache, about. */
const TIME_BYTES = 300
/**
 * Finds the commit that `at` names, the first of these that exists: a full id; a release of the project `slug`; a tag's
 * full name; an abbreviated commit id; a time, for the branch's newest commit that is not later. Each may end in `^`,
 * for its first parent.
 * @param within the folders that the caller may see. An id of a commit that changed none of them is unknown, and any
 * other name stands for the newest such commit
 * @throws Failure `invalid` for what can be none of them, an ambiguous abbreviation or an impossible time
 * @throws Failure `not-found` for an unknown one and another organization's; `unsupported` for an abbreviation without
 * git
 */
export async function resolveRevision(
  at: string,
  slug: string | undefined,
  look: LookAtPast,
  runGit: RunGit,
  within?: readonly string[],
): Promise<Resolved> {
  const named = async (revision: string | null): Promise<Resolved> => {
    const shown = within && revision ? await newestChange(within, revision, look, runGit) : revision
    return { revision: shown, exact: false }
  }
  const [, after] = BEFORE.exec(at) ?? []
  if (after !== undefined) {
    const { revision, exact } = await resolveRevision(after, slug, look, runGit, within)
    if (revision === null) throw unknownRevision(at)
    const before = await look(history => readCommit(history!.objects.commit(revision)).parents[0] ?? null)
    return { ...(await named(before)), exact }
  }
  const isCommit = (id: string) =>
    look(history => {
      if (history === undefined) return false
      return within ? isCommitWithin(history.objects, id, within) : history.objects.find(id)?.type === 'commit'
    })
  if (FULL_ID.test(at)) {
    const revision = at.toLowerCase()
    if (!(await isCommit(revision))) throw unknownRevision(at)
    return { revision, exact: true }
  }
  const tagged = await findTagged(at, slug, look)
  if (tagged !== undefined) return named(tagged)
  if (SHORT_ID.test(at)) {
    if (!(await look(history => history?.head.commit))) throw unknownRevision(at)
    const ids = await runGit(gitDir => idsStarting(gitDir, at.toLowerCase()))
    const commits: string[] = []
    for (const id of ids) if (await isCommit(id)) commits.push(id)
    if (commits[0] === undefined) {
      // A damaged index hides ids from git; our own reader reports it.
      await look(history => history?.objects.find(at.toLowerCase().padEnd(40, '0')))
      throw unknownRevision(at)
    }
    if (commits[1] === undefined) return { revision: commits[0], exact: false }
    throw new Failure('invalid', `The revision "${at}" is ambiguous: several begin so. Give more of its digits.`)
  }
  const seconds = parseTime(at)
  if (seconds !== undefined) return named(await stateAt(seconds, look, runGit))
  if (isTagName(at)) throw unknownRevision(at)
  throw new Failure(
    'invalid',
    `${JSON.stringify(shorten(at))} names no state: give a revision (4 to 40 hex digits), the name of a release or tag, ` +
      'or a time such as 2026-11-20 or 2026-11-20T09:30:00Z, each with ^ at its end for the state before.',
  )
}

async function findTagged(at: string, slug: string | undefined, look: LookAtPast): Promise<string | undefined> {
  if (!isTagName(at)) return undefined
  const gitDir = await look(history => history?.gitDir)
  if (gitDir === undefined) return undefined
  const find = async (name: string, annotated: boolean) => {
    const id = await readTag(gitDir, name)
    return id && look(history => history && peel(history.objects, id, annotated))
  }
  const release = slug === undefined || at.includes('/') ? undefined : await find(`${slug}/${at}`, true)
  return release ?? find(at, false)
}

/** The commit a tag stands for in the end; undefined when it is something else or lacks a required annotation. */
export function peel(objects: Objects, id: string, annotated: boolean): string | undefined {
  let object = objects.find(id)
  if (annotated && object?.type !== 'tag') return undefined
  let target = id
  for (let tags = 0; object?.type === 'tag' && tags < MOST_TAGS; tags++) {
    target = readTagObject(object.bytes).object ?? ''
    object = objects.find(target)
  }
  return object?.type === 'commit' ? target : undefined
}

/** The first commit from the head, by first parents, not later than `seconds`; null when all are later. */
async function stateAt(seconds: number, look: LookAtPast, runGit: RunGit): Promise<string | null> {
  const head = await look(past => past?.head)
  // Git counts from 1970, and so must its search.
  if (!head?.commit || seconds < 0) return null
  if (head.time <= seconds) return head.commit
  const known = await look(past => past?.times.get(String(seconds)))
  if (known) return known.commit
  const commit = await followFirstParents<string | null>(
    head.commit,
    look,
    (_past, id, { time }) => (time <= seconds ? id : undefined),
    (await gitVersion()) === undefined
      ? undefined
      : next => askGit(next, look, runGit, gitDir => commitBefore(gitDir, next, seconds)),
  )
  await look(past => past?.times.set(String(seconds), { commit: commit ?? null }, { size: TIME_BYTES }))
  return commit ?? null
}
