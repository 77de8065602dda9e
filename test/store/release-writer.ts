/**
 * The process that releases.test.ts kills: four writers, and releases that come and go. It prints what was
 * acknowledged.
 */
import { writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Releases } from '../../src/store/releases.ts'
import { Store } from '../../src/store/store.ts'

const [directory, run] = process.argv.slice(2)
const AUTHOR = { name: 'Ann', email: 'ann@example.com' }
const store = await Store.open({ directory: directory!, watch: false })
const releases = new Releases(store)

/** Synchronous, so that a line is out before the kill that may follow it. */
const say = (line: string) => writeSync(1, `${line}\n`)

const counts = new Map<string, number>()

async function count(path: string): Promise<void> {
  for (let n = 1; ; n++) {
    const bytes = Buffer.from(`${JSON.stringify({ version: `${run}-${n}` }, null, 2)}\n`)
    await store.write('acme', AUTHOR, tx => ({ result: tx.put(path, bytes), message: { subject: `web: ${n}` } }))
    counts.set(path, n)
    await pause(5)
  }
}

async function release(): Promise<void> {
  for (let n = 0; ; n++) {
    const held = JSON.stringify(Object.fromEntries([...counts].map(([path, n]) => [path, `${run}-${n}`])))
    const name = `v${run}.${n}`
    const { revision } = await releases.create('acme', AUTHOR, { slug: 'web', name }, () => {})
    say(`created ${name} ${revision} ${held}`)
    if (n % 3 !== 2) continue
    say(`deleting ${name}`)
    await releases.remove('acme', { slug: 'web', name }, () => {})
    say(`deleted ${name}`)
  }
}

const paths = ['de', 'en', 'fr', 'pl'].map(language => `web/locales/${language}/common.json`)
const writers = paths.map(count)
while (counts.size < paths.length) await pause(1)
say('ready')
await Promise.all([...writers, release()])
