/** The process that crash.test.ts kills: eight writers count up in eight bundles and say which counts were acknowledged. */
import { writeSync } from 'node:fs'
import { Store } from '../../src/store/store.ts'

const [directory, run] = process.argv.slice(2)
const AUTHOR = { name: 'Ann', email: 'ann@example.com' }
const store = await Store.open({ directory: directory!, watch: false })

/** Synchronous, so that a line is out before the kill that may follow it. */
const say = (line: string) => writeSync(1, `${line}\n`)

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
