/** The system's git as an independent judge of what the store leaves on the disk. */
import { spawnSync } from 'node:child_process'

/** Runs git in a work tree; returns what it prints. @throws Error with git's own words when it fails */
export function git(workTree: string, ...argv: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', ['-C', workTree, ...argv], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (status !== 0) throw new Error(`git ${argv.join(' ')} exited with ${status}: ${stderr}${stdout}`)
  return stdout
}

/** What `git fsck --full --strict` finds wrong, empty when nothing. Objects that nothing refers to are no fault. */
export function fsck(workTree: string): string {
  const { status, stdout, stderr } = spawnSync('git', ['-C', workTree, 'fsck', '--full', '--strict', '--no-dangling'], {
    encoding: 'utf8',
  })
  const lines = `${stdout}${stderr}`.split('\n').filter(line => line !== '' && !/^notice:|^Checking/.test(line))
  return status === 0 ? lines.join('\n') : `exit ${status}\n${lines.join('\n')}`
}

/** How many commits the branch has. */
export function commitCount(workTree: string): number {
  return Number(git(workTree, 'rev-list', '--count', 'main'))
}
