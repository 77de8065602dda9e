#!/usr/bin/env node
/** The program of the developers' package, which has no server. On an older Node it only says that it needs Node 24. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`parlance needs Node 24 or newer; this is ${process.version}.`)
  process.exit(1)
}

/** The version of package.json, inserted by the build. */
declare const PARLANCE_VERSION: string

const version = () =>
  typeof PARLANCE_VERSION === 'string'
    ? PARLANCE_VERSION
    : JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).version

const [{ runProcess }, { runProgram }, { DEVELOPERS }] = await Promise.all([
  import('./process.ts'),
  import('./run.ts'),
  import('./developers.ts'),
])
await runProcess(surroundings => runProgram(surroundings, DEVELOPERS), version)
