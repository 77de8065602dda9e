/** `parlance server verify` over a data folder of two organizations. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import type { Test } from 'tap'
import { countCommits, eventually, startServer } from '../contract/server.ts'
import { type Ended, parlance } from './parlance.ts'

/** What `parlance server verify --json` prints of a fault. */
export interface Finding {
  severity: string
  organization: { id: string; slug: string | null } | null
  path: string
  what: string
  todo: string
}

export const verify = (t: Test, dataDir: string, ...words: string[]): Promise<Ended> =>
  parlance(t, ['server', 'verify', '--json', '--data-dir', dataDir, ...words])

/** The same with a PATH on which there is no git. */
export const verifyWithoutGit = (t: Test, dataDir: string): Promise<Ended> =>
  parlance(t, ['server', 'verify', '--json', '--data-dir', dataDir], { env: { PATH: '/nonexistent' } })

export function isGood(t: Test, { code, json, output, errors }: Ended, message: string): void {
  t.equal(code, 0, `${message}: ${output} ${errors}`)
  t.equal(json?.ok, true, message)
  t.strictSame(json?.findings, [], message)
}

/** Two organizations with a project, some twenty commits and a tag each, closed as by SIGTERM. */
export async function makeFolder(t: Test) {
  const server = await startServer(t)
  const acme = await server.organization('Ann')
  const other = await server.organization('Otto')
  for (const { key, id } of [acme, other]) {
    await server.project(key, 'web')
    for (let n = 0; n < 20; n++) {
      const body = { [`key${n}`]: `text ${n}`, nav: { home: 'Home', [`x${n}`]: 'more' } }
      await server.put(`/api/projects/web/bundles/${n % 2 ? 'de' : 'en'}/common`, key, body)
      // Two seals write two packs.
      if (n === 10) t.ok(await eventually(() => countCommits(server.repository(id)) === n + 2), 'sealed')
    }
  }
  await server.close()
  const repository = server.repository(acme.id)
  execFileSync('git', [...WHO, '-C', repository, 'tag', '-a', '-m', 'first', 'web/1.0'])
  return { dataDir: server.dataDir, id: acme.id, slug: acme.slug, other: other.id, acme }
}

export const WHO = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-c', 'safe.directory=*']

export function flip(path: string, at: number | ((size: number) => number), bit = 0x10): void {
  fs.chmodSync(path, 0o644)
  const bytes = fs.readFileSync(path)
  bytes[typeof at === 'number' ? at : at(bytes.length)]! ^= bit
  fs.writeFileSync(path, bytes)
}
