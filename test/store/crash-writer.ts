/**
 * The process that the crash tests kill: eight writers count up in eight bundles and say which counts were
 * acknowledged.
 */
import fs, { writeSync } from 'node:fs'
import { codeOf } from '../../src/store/disk.ts'
import { Store } from '../../src/store/store.ts'

/**
 * The last two are for the tests of maintenance: its pace as JSON, and at which of its steps on the disk the process
 * kills itself.
 */
const [directory, run, pace = 'false', dieAt = 'Infinity'] = process.argv.slice(2)
const AUTHOR = { name: 'Ann', email: 'ann@example.com' }

let steps = 0
for (const name of ['rename', 'unlink', 'fsync'] as const) {
  const original = fs[name] as (...args: unknown[]) => void
  const counted = (...args: unknown[]) => {
    // Syncs know no path; those of maintenance are next to its renames.
    const maintains = name === 'fsync' ? steps > 0 : /repack-|pack-[0-9a-f]{40}\.|graph-/.test(String(args[0]))
    if (maintains && ++steps >= Number(dieAt)) process.kill(process.pid, 'SIGKILL')
    else original(...args)
  }
  Object.assign(fs, { [name]: counted })
}

const store = await Store.open({ directory: directory!, watch: false, maintenance: JSON.parse(pace) })

/** Synchronous, so that a line is out before the kill that may follow it. */
function say(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      // The pipe is full: its reader is behind.
      if (codeOf(error) !== 'EAGAIN') throw error
    }
  }
}

async function count(language: string, namespace: string): Promise<void> {
  const path = `web/locales/${language}/${namespace}.json`
  for (;;) {
    const { result } = await store.write('acme', AUTHOR, transaction => {
      const bundle = JSON.parse(transaction.read(path)?.toString() ?? '{}')
      const version = Number(bundle.version ?? 0) + 1
      bundle[`k${version % 200}`] = `run ${run} value ${version} ${'.'.repeat(version % 50)}`
      bundle.version = String(version)
      transaction.put(path, Buffer.from(`${JSON.stringify(bundle, null, 2)}\n`))
      return { result: version, message: { subject: `web ${language}/${namespace}: update version` } }
    })
    say(`acknowledged ${path} ${result}`)
  }
}

say('ready')
await Promise.all(['de', 'en', 'fr', 'pl'].flatMap(language => ['common', 'web'].map(ns => count(language, ns))))
