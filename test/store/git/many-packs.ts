/** A store that packs every write alone: work for the maintenance. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { MaintenancePace } from '../../../src/store/git/maintenance.ts'
import { Store, type StoreOptions } from '../../../src/store/store.ts'
import { fsck } from '../git-cli.ts'

export const ANN = { name: 'Ann', email: 'ann@example.com' }

/** Maintenance at every opportunity, and in no hurry to see idleness. */
export const EAGER: Partial<MaintenancePace> = {
  packs: 3,
  idlePacks: 1,
  seals: 1,
  bitmapFrom: 1,
  graphFrom: 1,
  idleGraphFrom: 1,
}

/** Some kilobytes that hold their version, so that versions of a file become deltas. */
export const render = (version: number) =>
  Buffer.from(
    `${JSON.stringify({ ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`key${n}`, `text number ${n * 7919}`])), version: String(version) }, null, 2)}\n`,
  )

export interface Logged {
  level: 'info' | 'warn' | 'error'
  message: string
  data: Record<string, unknown>
}

/** @param options.maintenance none unless it is given */
export async function openStore(t: Test, options: Partial<StoreOptions> = {}) {
  const directory = options.directory ?? join(t.testdir(), 'organizations')
  const logged: Logged[] = []
  const log = (level: Logged['level']) => (data: object, message: string) =>
    void logged.push({ level, message, data: data as Logged['data'] })
  const store = await Store.open({
    directory,
    watch: false,
    maintenance: false,
    log: { info: log('info'), warn: log('warn'), error: log('error') },
    ...options,
  })
  t.teardown(() => store.close())
  const gitDir = join(directory, 'acme', '.git')
  /** Writes and seals. */
  const put = async (path: string, version: number, organization = 'acme') => {
    const { revision } = await store.write(organization, ANN, tx => ({
      result: tx.put(path, render(version)),
      message: { subject: `put ${path} ${version}` },
    }))
    await store.readGit(organization, async () => {})
    return revision!
  }
  const folder = join(gitDir, 'objects', 'pack')
  return {
    store,
    directory,
    logged,
    put,
    gitDir,
    workTree: join(directory, 'acme'),
    /** The names of the packs. */
    packs: () => namesIn(folder, '.pack'),
    bitmaps: () => namesIn(folder, '.bitmap'),
    /** What is in the pack folder and the server's own folder beside packs, journals and notes. */
    leftovers: () => [
      ...readdirSync(folder).filter(name => !/^pack-[0-9a-f]{40}\.(?:pack|idx|rev|bitmap|keep)$/.test(name)),
      ...readdirSync(join(gitDir, 'parlance')).filter(name => name === 'maintenance'),
      ...readdirSync(join(gitDir, 'objects'), { recursive: true, encoding: 'utf8' }).filter(name =>
        name.endsWith('.lock'),
      ),
    ],
  }
}

function namesIn(folder: string, extension: string): string[] {
  return readdirSync(folder)
    .filter(name => name.endsWith(extension))
    .map(name => name.slice(0, -extension.length))
}

/** Reads what every one of these commits wrote, and checks that git finds nothing wrong. */
export async function isWhole(
  t: Test,
  directory: string,
  written: readonly { revision: string; path: string; version: number }[],
) {
  t.equal(fsck(join(directory, 'acme')), '', 'git fsck --full --strict')
  const store = await Store.open({ directory, watch: false, maintenance: false })
  try {
    const wrong = await store.read('acme', snapshot =>
      written.filter(({ revision, path, version }) => !snapshot.at(revision).read(path)?.equals(render(version))),
    )
    t.strictSame(wrong, [], `${written.length} revisions are there`)
  } finally {
    await store.close()
  }
}
