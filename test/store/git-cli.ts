/** The system's git as an independent judge of what the store leaves on the disk. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { noProcesses, processesIn } from './git-processes.ts'

const FSCK = ['fsck', '--full', '--strict', '--no-dangling']
const MOST_LOOKS = 5

/** Runs git in a work tree; returns what it prints. @throws Error with git's own words when it fails */
export function git(workTree: string, ...argv: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', ['-C', workTree, ...argv], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (status !== 0) throw new Error(`git ${argv.join(' ')} exited with ${status}: ${stderr}${stdout}`)
  return stdout
}

/**
 * The faults that `git fsck --full --strict` finds; unreachable objects are none. It stumbles over packs that vanish
 * meanwhile. So it runs again while a git that outlived its server is merging.
 */
export function fsck(workTree: string): string {
  const atWork = () => !noProcesses && processesIn(join(workTree, '.git')).length > 0
  for (let looks = 0; ; looks++) {
    const beside = atWork()
    const { status, stdout, stderr } = spawnSync('git', ['-C', workTree, ...FSCK], { encoding: 'utf8' })
    const lines = `${stdout}${stderr}`.split('\n').filter(line => line !== '' && !/^notice:|^Checking/.test(line))
    if (status === 0) return lines.join('\n')
    if (!beside || looks === MOST_LOOKS) return `exit ${status}\n${lines.join('\n')}`
    for (let waits = 0; atWork() && waits < 600; waits++)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  }
}

/** How many commits the branch has. */
export function commitCount(workTree: string): number {
  return Number(git(workTree, 'rev-list', '--count', 'main'))
}
