/** A git that can be stopped: a script ahead of the real one in the PATH. */
import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface SlowGit {
  /** What PATH must be for this git to be found. */
  path: string
  /** From now on, runs with a word in their arguments hang until they are let go on. */
  stop(word: string): void
  go(): void
}

/** Puts the script into a folder. */
export function slowGit(folder: string): SlowGit {
  const real = spawnSync('sh', ['-c', 'command -v git']).stdout.toString().trim()
  const mark = join(folder, 'stopped')
  const script = [
    '#!/bin/sh',
    `if [ -e '${mark}' ]; then`,
    `  for word in "$@"; do`,
    `    if [ "$word" = "$(cat '${mark}')" ]; then`,
    `      while [ -e '${mark}' ]; do sleep 0.05; done`,
    '    fi',
    '  done',
    'fi',
    `exec '${real}' "$@"`,
  ]
  writeFileSync(join(folder, 'git'), `${script.join('\n')}\n`)
  chmodSync(join(folder, 'git'), 0o755)
  return {
    path: `${folder}:${process.env.PATH}`,
    stop: word => writeFileSync(mark, word),
    go: () => rmSync(mark, { force: true }),
  }
}
