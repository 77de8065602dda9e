/** git's own lock on the branch, held while a server runs, so that `git commit` beside it fails with git's own message. */
import { join } from 'node:path'
import { closeFile, makeFolder, openFile, removeFile } from './disk.ts'

const lockOf = (gitDir: string) => join(gitDir, 'refs', 'heads', 'main.lock')

/** Takes it; a stale one is ours, since one process at a time has the data folder. */
export async function lockBranch(gitDir: string): Promise<void> {
  await makeFolder(join(gitDir, 'refs', 'heads'))
  await closeFile(await openFile(lockOf(gitDir), 'w'))
}

/** Gives it back; one that is not there is fine. */
export async function unlockBranch(gitDir: string): Promise<void> {
  await removeFile(lockOf(gitDir))
}
