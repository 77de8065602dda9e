/**
 * tap's runner without what it puts into the process of each test: a hook that notes every loaded file, for
 * `tap --changed`, and all their source maps. These were two thirds of the processor time of an empty test.
 */
import children from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

const { NODE_OPTIONS } = process.env
const { spawn } = children
const isBookkeeping = arg => arg === '--enable-source-maps' || /^--import=.*@tapjs\/processinfo/.test(arg)

children.spawn = (command, args, options) => {
  const env = { ...options.env, NODE_OPTIONS }
  if (NODE_OPTIONS === undefined) delete env.NODE_OPTIONS
  return spawn(
    command,
    args.filter(arg => !isBookkeeping(arg)),
    { ...options, env },
  )
}
syncBuiltinESMExports()
await import('../node_modules/tap/dist/esm/run.mjs')
