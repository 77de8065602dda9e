/** Refuses a change that a caller's rights do not cover, by the files that it changed. */
import type { Caller } from '../../auth/access.ts'
import { hasLevel, mayTranslate, type RightLevel, type RightTarget, rightsToWrite } from '../../auth/rights.ts'
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'
import { glossaryFile } from '../../project/glossary-file.ts'
import { projectIn } from '../../project/layout.ts'
import { type BundleName, bundlePath, ownFile } from '../../project/project.ts'
import { SIDECARS, type SidecarFile, sidecarFile } from '../../project/sidecars/sidecars.ts'
import { parseStale, sourceThen } from '../../project/stale.ts'
import type { ChangedState } from '../../project/stale-tasks.ts'
import type { State } from '../../project/state.ts'
import type { Steps } from '../../scheduling/steps.ts'

/**
 * Holds a change to the rights of its author. A change of equal bytes needs none.
 * - A bundle needs its language.
 * - A mark on a translation needs its language. A comment needs none: who reads a text may ask about it.
 * - A suggestion needs the right to suggest in its language. Its route holds it to the suggestions of its author.
 * - Any other sidecar that follows a key, such as notes, needs the source language.
 * - A stale entry needs its language, unless the source text beside it changed in the same commit.
 * - The project's file and the glossaries need all languages.
 * - Another review of a language needs the right to review it: a translator does not end it.
 * @param change without what follows from it: translations of a new source text become stale in every language
 * @throws Failure `forbidden` naming the languages
 */
export function* refuseBeyondRights(caller: Caller, change: ChangedState): Steps<void> {
  const rights = rightsToWrite(caller)
  if (rights === undefined) return
  const targets = new Map<string, NeededRight>()
  for (const path of change.changed()) {
    if (!differs(path, change)) continue
    for (const target of targetsOf(path, change)) targets.set(JSON.stringify(target), target)
    yield
  }
  const beyond = [...targets.values()].filter(target => !hasLevel(rights, target, target.level ?? 'translate'))
  if (beyond.length > 0) throw refusal(caller, beyond)
}

/** Refuses what concerns all languages of a project, or the whole organization. @throws Failure `forbidden` */
export function refuseUnlessAll(caller: Caller, project: string | undefined): void {
  if (!mayTranslate(caller.rights, { project })) throw refusal(caller, [{ project }])
}

/** What a file of a change needs. */
interface NeededRight extends RightTarget {
  /** `translate` where absent. */
  level?: RightLevel
}

function targetsOf(path: string, change: ChangedState): NeededRight[] {
  const own = ownFile(path)
  if (own?.kind === 'bundle') return [{ project: own.slug, language: own.language }]
  if (own?.kind === 'project') return [{ project: own.slug }, ...changedReviews(own.slug, change)]
  const sidecar = sidecarFile(path)
  if (sidecar) return sidecarTargets(path, sidecar, change)
  return [{ project: glossaryFile(path)?.slug }]
}

function sidecarTargets(path: string, file: SidecarFile, change: ChangedState): NeededRight[] {
  const { slug, sidecar, namespace } = file
  if (sidecar === 'comments') return []
  if (file.language !== undefined) {
    const target = { project: slug, language: file.language }
    return [sidecar === 'suggestions' ? { ...target, level: 'suggest' } : target]
  }
  const language = (projectIn(change, slug) ?? projectIn(change.before, slug))?.sourceLanguage
  if (language === undefined) return [{ project: slug }]
  if (SIDECARS[sidecar].follows === 'key') return [{ project: slug, language }]
  const source = bundlePath({ slug, language, namespace })
  if (differs(source, change)) return []
  return changedStale(change.before, change, path).map(one => ({ project: slug, language: one }))
}

/** What a change of the reviews of a project needs. A deleted project loses them. */
function changedReviews(project: string, change: ChangedState): NeededRight[] {
  const [then, now] = [change.before, change].map(state => projectIn(state, project)?.review ?? {})
  const isChanged = (language: string) => then![language]?.fourEyes !== now![language]?.fourEyes
  const languages = new Set([...Object.keys(then!), ...Object.keys(now!)].filter(isChanged))
  return [...languages].map(language => ({ project, language, level: 'review' }))
}

const differs = (path: string, change: ChangedState) => change.before.entry(path)?.id !== change.entry(path)?.id

/** The languages with other stale entries. */
function changedStale(before: State, after: State, path: string): string[] {
  const [then, now] = [parseStale(before.read(path)), parseStale(after.read(path))]
  const languages = new Set<string>()
  for (const key of new Set([...then.keys(), ...now.keys()])) {
    for (const { languages: named } of [...(then.get(key) ?? []), ...(now.get(key) ?? [])]) {
      for (const language of named) {
        if (languages.has(language)) continue
        const sources = [then, now].map(entries => JSON.stringify(sourceThen(entries, key, language)))
        if (sources[0] !== sources[1]) languages.add(language)
      }
    }
  }
  return [...languages]
}

/** The failure for a caller without a right in a language. @param what it is for, such as `review` */
export function noRight(caller: Caller, what: string, languages: readonly string[], projects: readonly string[]) {
  const words = `no right to ${what} ${quoteSome(languages)} in project ${quoteSome(projects)}`
  return new Failure('forbidden', `${holder(caller)} has ${words}.`)
}

/** Whether a caller may review texts in a language of a project. */
export const isReviewer = (caller: Caller, { slug, language }: Omit<BundleName, 'namespace'>): boolean =>
  hasLevel(rightsToWrite(caller), { project: slug, language }, 'review')

/** The failure for a caller who is none. */
export const noReviewer = (caller: Caller, { slug, language }: Omit<BundleName, 'namespace'>): Failure =>
  noRight(caller, 'review texts in', [language], [slug])

const holder = (caller: Caller) => (caller.kind === 'token' ? 'This API token' : 'Your membership')

function refusal(caller: Caller, beyond: readonly NeededRight[]): Failure {
  const who = holder(caller)
  const whole = beyond.find(({ language }) => language === undefined)
  if (whole) {
    const what = whole.project === undefined ? 'the organization' : `project ${quoteSome([whole.project])}`
    return new Failure('forbidden', `${who} has no right to translate all languages of ${what}, which this needs.`)
  }
  const [what, named] = [
    ['translate', beyond.filter(({ level }) => level === undefined)] as const,
    ['review texts in', beyond.filter(({ level }) => level === 'review')] as const,
    ['suggest texts in', beyond] as const,
  ].find(([, targets]) => targets.length > 0)!
  const projects = [...new Set(named.map(({ project }) => project!))]
  const languages = [...new Set(named.map(({ language }) => language!))].sort()
  return noRight(caller, what, languages, projects)
}
