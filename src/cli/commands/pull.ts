/** `parlance pull`: merges the server's texts into the app's files; with `--watch` after each change. */
import { setTimeout as pause } from 'node:timers/promises'
import { projectPath } from '../api/client.ts'
import { anything } from '../api/shape.ts'
import type { Run } from '../context.ts'
import { usage } from '../problem.ts'
import { withFolderLock } from '../sync/folder-lock.ts'
import { isMendedHere, type PullOptions, pull } from '../sync/pull.ts'
import { exclude, localProject, openScope } from '../sync/scope.ts'

type Options = PullOptions & { watch?: boolean }

/** Milliseconds between a change and the pull: further changes then share it. */
const DELAY = 200

/**
 * With `--json`: `{ revision, files, changes, deletedHere, deletedFiles, unnamedLanguages }`, with `--check` `{
 * revision, upToDate, changes, conflicts, deletedFiles }`; revision is null if the server has nothing new.
 */
export const run: Run<Options> = async (context, options) => {
  exclude(options, ['watch', 'at'], ['watch', 'check'], ['check', 'prefer'], ['missing-only', 'prefer'])
  if (options.watch && context.json) throw usage('--watch has no end, and --json prints one document.')
  const local = await localProject(context)
  const once = async (whole = false) => {
    const pulled = async () => pull(await openScope(context, local, options), { ...options, whole })
    const done = await withFolderLock(local.root, context.stop, pulled, options.check)
    await context.print(done.document, done.text)
    return done
  }
  // The watch begins at the revision of this pull.
  const first = await once(options.watch)
  if (!options.watch) return first.code
  const { api, project } = await openScope(context, local, options)
  await context.err('Waiting for changes; Ctrl-C ends it.\n')
  let [isDue, running] = [false, Promise.resolve()]
  const failure = Promise.withResolvers<never>()
  const again = async () => {
    await pause(DELAY)
    isDue = false
    if (context.stop.aborted) return
    try {
      await once()
    } catch (error) {
      if (!isMendedHere(error)) throw error
      await context.err(`parlance: ${error.sentence}\n`)
    }
  }
  const follow = async () => {
    const from = first.revision === undefined ? {} : { lastId: first.revision }
    for await (const _ of api.events(projectPath(project, 'events'), anything, from)) {
      if (isDue) continue
      isDue = true
      running = running.then(again).catch(failure.reject)
    }
  }
  try {
    await Promise.race([follow(), failure.promise])
  } finally {
    await running
  }
  return 0
}
