/** `parlance push`: prints the plan, and sends changes of the app's files to the server in one commit. */
import type { Run } from '../context.ts'
import { withAllFaults } from '../local/faults.ts'
import { withFolderLock } from '../sync/folder-lock.ts'
import { type PushOptions, push } from '../sync/push.ts'
import { localProject, needPart, openScope } from '../sync/scope.ts'

/**
 * With `--json`: `{ revision, revisions, dryRun, changes, deletedHere, deletedFiles, unnamedLanguages, leftOut: [ {
 * path, reason, language? } ], ignoredKeys: [ { rule, keys } ], undo }`; revision is null without a push.
 */
export const run: Run<PushOptions> = async (context, options) => {
  const local = await localProject(context, options.leaveOut)
  await withAllFaults(
    local,
    () => true,
    () => needPart(local, options),
  )
  const pushed = async () => push(await openScope(context, local, options), options)
  const done = await withFolderLock(local.root, context.stop, pushed, options.dryRun)
  await context.print(done.document, done.text)
  return done.code
}
