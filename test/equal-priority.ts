/**
 * Gives the git that works in the background as much of the processors as anybody else has. At its low priority it gets
 * a tenth beside the other test files, and what waits for it takes ten times as long.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

const { setPriority } = os
const { writeFileSync } = fs

os.setPriority = () => {}
fs.writeFileSync = (...call: Parameters<typeof writeFileSync>) => {
  const [path] = call
  if (typeof path !== 'string' || !/^\/proc\/\d+\/autogroup$/.test(path)) writeFileSync(...call)
}
syncBuiltinESMExports()

/** Background work has from now on the priority that it has on servers. */
export function yieldAsOnServers(): void {
  Object.assign(os, { setPriority })
  Object.assign(fs, { writeFileSync })
  syncBuiltinESMExports()
}
