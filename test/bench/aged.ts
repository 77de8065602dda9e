/** A data folder with a long history, written by the store without a server. */
import fs from 'node:fs'
import { join } from 'node:path'
import { Store } from '../../src/store/store.ts'
import { build, Edits } from './hundred-thousand.ts'
import { startParlance } from './parlance.ts'

/** A folder to start a server on, the id of its organization, and a token of it. */
export interface Aged {
  dataDir: string
  organization: string
  key: string
  /** A bundle that is there, and a key in it. */
  path: string
  name: string
}

/** Creates an account with an organization in `dataDir`, and its repository with that number of commits. */
export async function makeAged(dataDir: string, commits: number): Promise<Aged> {
  const { running, key, organization } = await startParlance(dataDir)
  await running.stop()
  const directory = join(dataDir, 'organizations')
  fs.rmSync(join(directory, organization), { recursive: true, force: true })
  const edits = new Edits()
  const store = await Store.open({
    directory,
    watch: false,
    now: edits.now,
  })
  await build(store, organization, edits, { commits, sealEvery: 2_000 })
  await store.close()
  return { dataDir, organization, key, path: '/api/projects/shop/bundles/ar/ns0', name: 'section10.item1000.label' }
}
