import fs from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import { createFolder, ifThere, syncFolder, syncTree } from './disk.ts'

export async function hasRepository(workTree: string): Promise<boolean> {
  return (await ifThere(stat(join(workTree, '.git')), 'ENOTDIR'))?.isDirectory() ?? false
}

const UNFINISHED = '.git-new'

/**
 * Creates an empty repository, whole or not at all, even after power loss.
 * @throws Failure `unavailable` when there are files already: their repository is gone, and a new one would hide that
 */
export async function createRepository(workTree: string): Promise<void> {
  const gitdir = join(workTree, UNFINISHED)
  await createFolder(workTree)
  if ((await readdir(workTree)).some(name => name !== UNFINISHED)) {
    throw new Failure(
      'unavailable',
      "The organization's folder holds files and no repository: put its .git back, from the backup, or empty the folder.",
    )
  }
  await rm(gitdir, { recursive: true, force: true })
  // Loaded here, since most starts create no repository.
  const { default: git } = await import('isomorphic-git')
  await git.init({ fs, dir: workTree, gitdir, defaultBranch: 'main' })
  const set = (path: string, value: string | number | boolean) =>
    git.setConfig({ fs, dir: workTree, gitdir, path, value })
  await set('gc.auto', 0)
  await set('core.ignorecase', false)
  await set('core.autocrlf', false)
  await createFolder(join(gitdir, 'parlance'))
  await syncTree(gitdir)
  await rename(gitdir, join(workTree, '.git'))
  await syncFolder(workTree)
}
