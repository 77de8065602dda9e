/** Other programs that `npm run test:long` tries Parlance with. Their tests are skipped if they cannot be installed. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNpm } from './npm.mjs'

/** Packages by their folder. The CLI is built for the output of this version of i18next-cli. */
const PROGRAMS = {
  'i18next-cli': ['i18next-cli@1.74.2'],
  npms: ['9.9.4', '10.9.9', '11.6.2', '11.19.1', '12.2.1'].map(version => `npm-${version}@npm:npm@${version}`),
}

/** @param root the clone */
export async function installForLongTests(root) {
  for (const [name, packages] of Object.entries(PROGRAMS)) {
    const folder = join(root, 'node_modules/.cache', name)
    if (existsSync(join(folder, 'node_modules/.package-lock.json'))) continue
    try {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'package.json'), '{"private":true}')
      await runNpm(['install', '--no-save', ...packages], `${name}: its tests are skipped`, folder)
    } catch ({ message }) {
      rmSync(folder, { recursive: true, force: true })
      console.error(message)
    }
  }
}
