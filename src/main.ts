#!/usr/bin/env node
/**
 * The process: gives what it has to the program, and ends with its exit code. Only Node's modules are imported early:
 * an older Node must live to say why it fails.
 */
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`Parlance needs Node 24 or newer; this is ${process.version}.`)
  process.exit(1)
}

// Beside the program, where only its owner can write; otherwise skipped.
module.enableCompileCache(join(import.meta.dirname, 'compiled'))
const [{ runProcess }, { runWords }] = await Promise.all([import('./cli/process.ts'), import('./operator/program.ts')])
await runProcess(runWords, () => JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version)
