/**
 * tap follows every promise to the test that began it, so that it can name the test of a stray error. That costs a
 * tenth of the processor time. An unhandled rejection still fails its test. The plain lane (`PLAIN`) replaces nothing.
 */
import hooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const { createHook } = hooks

if (!process.env.PLAIN) {
  // An option of Node since 24.12.
  const options = { trackPromises: false }
  hooks.createHook = callbacks => createHook({ ...callbacks, ...options })
  syncBuiltinESMExports()
}
