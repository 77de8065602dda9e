/** `parlance backup`: pushes everything to BACKUP_REMOTE once, and tells how each repository did. */
import { Directory } from '../auth/directory.ts'
import { Failure } from '../bundle/errors.ts'
import { isLocked } from '../store/lock.ts'
import { backupAll } from './backup-all.ts'
import type { Call } from './call.ts'
import type { Outcome } from './report.ts'
import { inColumns } from './table.ts'

const STATES = { ok: 'pushed', empty: 'nothing to push yet', failing: 'failed', diverged: 'diverged' }

/** See the top of the file. */
export async function run({ config, report, terminal }: Call): Promise<Outcome> {
  const { dataDir, backupRemote } = config
  if (backupRemote !== undefined && isLocked(dataDir)) {
    throw new Failure(
      'unavailable',
      `A server runs on ${dataDir}: with BACKUP_REMOTE set it pushes by itself soon after each change, and /api/health tells how that goes.`,
    )
  }
  let done = 0
  const tell = () => report.progress(`${++done} done`)
  const results = await backupAll({ config, log: report.log, tell, signal: terminal.stop })
  terminal.stop.throwIfAborted()
  const slugs = slugsOf(dataDir)
  const repositories = results.map(({ id, state, error }) => {
    return { id, slug: slugs.get(id) ?? null, state, ...(error === undefined ? {} : { error }) }
  })
  const bad = repositories.filter(({ state }) => state === 'failing' || state === 'diverged')
  const rows = repositories.map(({ id, slug, state, error = '' }) => [slug ?? '', id, STATES[state], error])
  const sum = bad.length === 0 ? 'everything is there' : `${bad.length} of ${repositories.length} failed`
  return {
    text: `${inColumns(['SLUG', 'REPOSITORY', 'STATE', ''], rows)}\n${backupRemote}: ${sum}.`,
    json: { ok: bad.length === 0, remote: backupRemote, repositories },
    code: bad.length === 0 ? 0 : 1,
  }
}

function slugsOf(dataDir: string): Map<string, string> {
  const directory = Directory.open(dataDir)
  try {
    return new Map(directory.organizations().map(({ id, slug }) => [id, slug]))
  } finally {
    directory.close()
  }
}
