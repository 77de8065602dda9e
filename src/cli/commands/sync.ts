/** `parlance sync`: a push, then a pull, with one plan and one decision for each conflict. */
import type { Run } from '../context.ts'
import type { Choices } from '../sync/conflicts.ts'
import { withFolderLock } from '../sync/folder-lock.ts'
import { pull } from '../sync/pull.ts'
import { afterPush, type PushOptions, push } from '../sync/push.ts'
import { localProject, openScope } from '../sync/scope.ts'

/** With `--json`: `{ push, pull }`, the documents of both. */
export const run: Run<PushOptions> = async (context, options) => {
  const local = await localProject(context, options.leaveOut)
  const both = async () => {
    const scope = await openScope(context, local, options)
    const choices: Choices = new Map()
    const pushed = await push(scope, options, choices, !options.dryRun)
    const { language, namespace, prefer, dryRun } = options
    const asked = { ...(language && { language }), ...(namespace && { namespace }), ...(prefer && { prefer }) }
    const pulled = pull(scope, { ...asked, check: dryRun === true, hasPushed: pushed.revisions.length > 0 }, choices)
    return [pushed, await pulled.catch(error => Promise.reject(afterPush(error, pushed.revisions)))] as const
  }
  const [pushed, pulled] = await withFolderLock(local.root, context.stop, both, options.dryRun)
  await context.print({ push: pushed.document, pull: pulled.document }, () => `${pushed.text()}\n${pulled.text()}`)
  return options.dryRun ? 0 : pulled.code
}
