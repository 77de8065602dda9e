/** The task of a suggestion for one key; the worker computes it where the files are large. */
import { type BundleName, bundlePath, type Project } from '../../project/project.ts'
import { sidecarPath } from '../../project/sidecars/sidecars.ts'
import type { SuggestTextTask } from '../../project/sidecars/suggest-text.ts'
import type { State } from '../../project/state.ts'
import type { BundleTask } from './bundle-task.ts'
import { sidecarTask } from './sidecar-task.ts'

export function suggestionTask(
  state: State,
  { sourceLanguage, defaultFormat: format }: Project,
  bundle: BundleName,
  asked: Pick<SuggestTextTask, 'name' | 'value' | 'suggestion'>,
): BundleTask<'suggestText'> {
  const path = sidecarPath({ sidecar: 'suggestions', ...bundle })
  const isSource = bundle.language === sourceLanguage
  const paths = [path, bundlePath({ ...bundle, language: sourceLanguage }), bundlePath(bundle)]
  const task = sidecarTask(state, 'suggestText', {
    ...{ bundle, paths },
    input: (suggestions = null, source = null, target = null) => {
      return { path, suggestions, source, target, format, isSource, ...asked }
    },
  })
  return { ...task, variant: `${task.variant} ${format} ${sourceLanguage}` }
}
