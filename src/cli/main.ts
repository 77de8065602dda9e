#!/usr/bin/env node
/** The process of the developers' package, which has no server in it. Needs Node 24, and lives to say so on an older one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`parlance needs Node 24 or newer; this is ${process.version}.`)
  process.exit(1)
}

/** Of package.json; put there by the build. */
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
