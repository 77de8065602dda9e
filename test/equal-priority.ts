/**
 * Gives background git the normal priority. At its low priority it gets a tenth of the processors beside the other test
 * files. Tests that wait for it are ten times slower. The plain lane (`PLAIN`) replaces nothing.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

const { setPriority } = os
const { writeFileSync } = fs

if (!process.env.PLAIN) {
  os.setPriority = () => {}
  fs.writeFileSync = (...call: Parameters<typeof writeFileSync>) => {
    const [path] = call
    if (typeof path !== 'string' || !/^\/proc\/\d+\/autogroup$/.test(path)) writeFileSync(...call)
  }
  syncBuiltinESMExports()
}

/** Background work has from now on the priority that it has on servers. */
export function yieldAsOnServers(): void {
  Object.assign(os, { setPriority })
  Object.assign(fs, { writeFileSync })
  syncBuiltinESMExports()
}
