/** Whether the keys of a plan are still as they were. */
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'
import { idOf, languagesOf, projectIn } from '../../project/layout.ts'
import { type BundleName, bundlePath, type Project } from '../../project/project.ts'
import { TaskFile } from '../../project/sidecars/task-file.ts'
import type { Steps } from '../../scheduling/steps.ts'
import { fateOfTexts } from './fate-of-texts.ts'
import type { ChangeContext } from './judge-rows.ts'
import type { RequestedChanges } from './requested-changes.ts'
import { unreadTask } from './unread-task.ts'

/** Bundles that a sentence names. */
const NAMED = 10

/**
 * @throws Failure `conflict` naming the keys of a plan that changed since its revision, and those with texts that have
 * another fate: a review started or ended
 */
export function* refuseChangedSince(
  revision: string,
  { set, delete: removed, rename }: RequestedChanges,
  { state, compute, project, caller }: ChangeContext,
): Steps<void> {
  const { slug } = project
  const then = state.at(revision)
  const keys = new Map<string, { bundle: BundleName; keys: Set<string> }>()
  const add = (bundle: BundleName, key: string) => {
    const path = bundlePath(bundle)
    if (!keys.has(path)) keys.set(path, { bundle, keys: new Set() })
    keys.get(path)!.keys.add(key)
  }
  const languages = new Set([...languagesOf(state, project), ...languagesOf(then, project)])
  for (const { language, namespace, key } of set) {
    add({ slug, language, namespace }, key)
    // A translation of an earlier source would count as one of the present source.
    add({ slug, language: project.sourceLanguage, namespace }, key)
  }
  for (const language of languages) {
    for (const { namespace, key } of removed) add({ slug, language, namespace }, key)
    for (const { namespace, from, to } of rename) for (const key of [from, to]) add({ slug, language, namespace }, key)
  }
  yield
  const touched = [...keys.values()].filter(({ bundle }) => idOf(state, bundle) !== idOf(then, bundle))
  const answers = compute(
    touched.map(({ bundle, keys }) => {
      const path = bundlePath(bundle)
      const files = { was: TaskFile.at(path, then), now: TaskFile.at(path, state), keys: [...keys] }
      return unreadTask('differingKeys', bundle, idOf(state, bundle), { files })
    }),
  )
  const differing = touched.flatMap(({ bundle }, at) => answers[at]!.map(key => ({ ...bundle, key })))
  const projectThen = projectIn(then, slug) ?? project
  const fateIn = (at: Project, language: string) => fateOfTexts(at, caller, language, true)
  for (const { language, namespace, key } of set) {
    if (fateIn(projectThen, language) !== fateIn(project, language)) differing.push({ slug, language, namespace, key })
  }
  if (differing.length > 0) throw outdated(differing)
}

function outdated(changed: readonly (BundleName & { key: string })[]): Failure {
  const places = [...new Set(changed.map(({ language, namespace }) => `${language}/${namespace}`))]
  const keys = [...new Set(changed.map(({ key }) => key))]
  const words = `${quoteSome(keys)} in ${places.slice(0, NAMED).join(', ')}`
  return new Failure('conflict', `The plan is out of date for ${words}: create a new one.`)
}
