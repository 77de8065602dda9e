/** Fills data folders without a server: over HTTP it would last longer than the measurement. */
import { join } from 'node:path'
import { Store } from '../../src/store/store.ts'

/** Files of one commit. */
const AT_ONCE = 100

/** Writes files into an organization of a folder. No server may run on it. */
export async function putAll(
  dataDir: string,
  organization: string,
  files: { path: string; bytes: Buffer }[],
): Promise<void> {
  const store = await Store.open({ directory: join(dataDir, 'organizations'), watch: false, maintenance: false })
  for (let from = 0; from < files.length; from += AT_ONCE) {
    await store.write(organization, { name: 'Ann', email: 'ann@example.com' }, transaction => {
      for (const { path, bytes } of files.slice(from, from + AT_ONCE)) transaction.put(path, bytes)
      return { result: undefined, message: { subject: `files from ${from} on` } }
    })
  }
  await store.close()
}
