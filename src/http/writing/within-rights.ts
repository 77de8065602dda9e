/** Refuses a change that a caller's rights do not cover, by the files that it changed. */
import type { Caller } from '../../auth/access.ts'
import { mayTranslate, type RightTarget } from '../../auth/rights.ts'
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'
import { glossaryFile } from '../../project/glossary-file.ts'
import { projectIn } from '../../project/layout.ts'
import { bundlePath, ownFile } from '../../project/project.ts'
import { SIDECARS, type SidecarFile, sidecarFile } from '../../project/sidecars/sidecars.ts'
import { parseStale, sourceThen } from '../../project/stale.ts'
import type { ChangedState } from '../../project/stale-tasks.ts'
import type { State } from '../../project/state.ts'
import type { Steps } from '../../scheduling/steps.ts'

/**
 * Holds a change to the rights of its author. A change of equal bytes needs none.
 * - A bundle needs its language.
 * - A mark on a translation needs its language. A comment needs none: who reads a text may ask about it.
 * - Any other sidecar that follows a key, such as notes, needs the source language.
 * - A stale entry needs its language, unless the source text beside it changed in the same commit.
 * - The project's file and the glossaries need all languages.
 * @param change without what follows from it: translations of a new source text become stale in every language
 * @throws Failure `forbidden` naming the languages
 */
export function* refuseBeyondRights(caller: Caller, change: ChangedState): Steps<void> {
  if (caller.rights === undefined) return
  const targets = new Map<string, RightTarget>()
  for (const path of change.changed()) {
    if (!differs(path, change)) continue
    for (const target of targetsOf(path, change)) targets.set(JSON.stringify(target), target)
    yield
  }
  const beyond = [...targets.values()].filter(target => !mayTranslate(caller.rights, target))
  if (beyond.length > 0) throw refusal(caller, beyond)
}

/** Refuses what concerns all languages of a project, or the whole organization. @throws Failure `forbidden` */
export function refuseUnlessAll(caller: Caller, project: string | undefined): void {
  if (!mayTranslate(caller.rights, { project })) throw refusal(caller, [{ project }])
}

function targetsOf(path: string, change: ChangedState): RightTarget[] {
  const own = ownFile(path)
  if (own?.kind === 'bundle') return [{ project: own.slug, language: own.language }]
  if (own?.kind === 'project') return [{ project: own.slug }]
  const sidecar = sidecarFile(path)
  if (sidecar) return sidecarTargets(path, sidecar, change)
  return [{ project: glossaryFile(path)?.slug }]
}

function sidecarTargets(path: string, file: SidecarFile, change: ChangedState): RightTarget[] {
  const { slug, sidecar, namespace } = file
  if (sidecar === 'comments') return []
  if (file.language !== undefined) return [{ project: slug, language: file.language }]
  const language = (projectIn(change, slug) ?? projectIn(change.before, slug))?.sourceLanguage
  if (language === undefined) return [{ project: slug }]
  if (SIDECARS[sidecar].follows === 'key') return [{ project: slug, language }]
  const source = bundlePath({ slug, language, namespace })
  if (differs(source, change)) return []
  return changedStale(change.before, change, path).map(one => ({ project: slug, language: one }))
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

function refusal(caller: Caller, beyond: readonly RightTarget[]): Failure {
  const who = caller.kind === 'token' ? 'This API token' : 'Your membership'
  const whole = beyond.find(({ language }) => language === undefined)
  if (whole) {
    const what = whole.project === undefined ? 'the organization' : `project ${quoteSome([whole.project])}`
    return new Failure('forbidden', `${who} has no right to translate all languages of ${what}, which this needs.`)
  }
  const projects = [...new Set(beyond.map(({ project }) => project!))]
  const languages = [...new Set(beyond.map(({ language }) => language!))].sort()
  const words = `${who} has no right to translate ${quoteSome(languages)} in project ${quoteSome(projects)}.`
  return new Failure('forbidden', words)
}
