/** Data folders with much in them, filled without a server: over HTTP it would take longer than what is measured then. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { Sqlite } from '../../src/sqlite.ts'
import { Store } from '../../src/store/store.ts'

/** So many files come with one commit. */
const AT_ONCE = 100

/** Copies the one organization of a folder, with its member and its repository, until there are so many. No server may run on it. */
export function multiply(dataDir: string, organizations: number): void {
  const database = new Sqlite(join(dataDir, 'parlance.sqlite'))
  const [id, owner] = ['organization', 'member'].map(table => database.prepare(`select id from ${table}`).pluck().get())
  const addOrganization = database.prepare(
    'insert into organization (id, name, slug, createdAt) select ?, name, ?, createdAt from organization where id = ?',
  )
  const addOwner = database.prepare(
    'insert into member (id, organizationId, userId, role, createdAt) select ?, ?, userId, role, createdAt from member where id = ?',
  )
  const folder = join(dataDir, 'organizations')
  database.transaction(() => {
    for (let at = 1; at < organizations; at++) {
      const copy = randomBytes(16).toString('hex')
      addOrganization.run(copy, `org${at}`, id)
      addOwner.run(randomBytes(16).toString('hex'), copy, owner)
      fs.cpSync(join(folder, String(id)), join(folder, copy), { recursive: true })
    }
  })()
  database.close()
}

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
