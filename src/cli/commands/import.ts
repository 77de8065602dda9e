/** `parlance import`: pushes the locale files of any folder. */
import { resolve } from 'node:path'
import { needManifest } from '../api/key-name.ts'
import type { Run } from '../context.ts'
import { withAllFaults } from '../local/faults.ts'
import { leftOutText } from '../local/left-out.ts'
import { openLocal } from '../local/open.ts'
import { Problem } from '../problem.ts'
import { type PushOptions, push } from '../sync/push.ts'
import { needPart, openScope } from '../sync/scope.ts'
import { emptyState } from '../sync/state.ts'

type Options = Omit<PushOptions, 'prune' | 'notes'> & { template: string }

/** Writes no state: the folder is not a checkout. With `--json` the document of `push`. */
export const run: Run<Options> = async (context, { template, ...options }, [folder]) => {
  const { cwd, config } = await context.settings()
  const { languageNames, nsSeparator, ignore = [] } = config
  const root = resolve(cwd, folder!)
  const { sourceLanguage } = await needManifest(context)
  const local = await openLocal(root, {
    output: template,
    sourceLanguage,
    ignore: [...ignore, ...(options.leaveOut ?? [])],
    ...(languageNames && { languageNames }),
    ...(nsSeparator !== undefined && { nsSeparator }),
  })
  const scope = await openScope(context, local, options)
  const files = await withAllFaults(local, scope.has, () => local.find())
  if (files.length === 0) {
    const left = leftOutText('Left out', await local.leftOut())
    throw new Problem([`${folder} has no files like ${template}.`, ...left].join('\n'), {
      hint: 'Is it the right folder? --template is the path of each file in it.',
    })
  }
  await needPart(local, options)
  const done = await push({ ...scope, state: emptyState(), isStateless: true }, { ...options, notes: false })
  await context.print(done.document, done.text)
  return done.code
}
