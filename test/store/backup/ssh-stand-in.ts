/**
 * A remote host over ssh, on this machine: git runs there as it does at a host, and the hooks of a repository are the
 * host's.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'

/**
 * Puts a program `ssh` first in PATH that runs the asked command here, until the test ends.
 * @param folder for the program
 * @returns the setting of a remote with its repositories in a folder
 */
export function standInForSsh(t: Test, folder: string): (repositories: string) => string {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'ssh'), '#!/bin/sh\nfor word; do last=$word; done\nexec sh -c "$last"\n', { mode: 0o755 })
  const { PATH } = process.env
  process.env.PATH = `${bin}:${PATH}`
  t.teardown(() => {
    process.env.PATH = PATH
  })
  return repositories => `git@example.com:${repositories}/{organization}.git`
}
