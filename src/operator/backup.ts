/** `parlance backup`: pushes everything to BACKUP_REMOTE once, or proves that a restore from there would work. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Directory } from '../auth/directory.ts'
import { Failure } from '../bundle/errors.ts'
import type { Remote } from '../remote.ts'
import { ACCOUNTS } from '../store/backup/accounts.ts'
import { type CheckResult, checkBackup } from '../store/backup/check.ts'
import { isLocked } from '../store/lock.ts'
import { backupAll } from './backup-all.ts'
import type { Call } from './call.ts'
import type { Outcome } from './report.ts'
import { inColumns } from './table.ts'

interface Options {
  check?: boolean
}

const STATES = { ok: 'pushed', empty: 'nothing to push yet', failing: 'failed', diverged: 'diverged' }
const CHECKED = {
  ok: 'can be restored',
  empty: 'nothing is written yet',
  missing: 'missing',
  damaged: 'damaged',
  failing: 'not looked at',
}

/** See the top of the file. */
export async function run(call: Call<Options>): Promise<Outcome> {
  const { config, report, terminal, options } = call
  const { dataDir, backupRemote } = config
  if (options.check) {
    if (backupRemote === undefined) throw new Failure('invalid', 'Set BACKUP_REMOTE to where the backup is.')
    return check(call, backupRemote)
  }
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

async function check({ report, terminal }: Call<Options>, remote: Remote): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-check-'))
  const results: CheckResult[] = []
  let slugs = new Map<string, string>()
  try {
    await checkBackup({ remote, folder, log: report.log, signal: terminal.stop }, (result, accounts) => {
      if (result.id === ACCOUNTS && result.state === 'ok') slugs = slugsOf(accounts)
      report.progress(`${results.push(result)} done`)
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const repositories = results.map(result => ({ ...result, slug: slugs.get(result.id) ?? null }))
  const bad = repositories.filter(({ state }) => state !== 'ok' && state !== 'empty')
  const rows = repositories.map(({ id, slug, state, error = '' }) => [slug ?? '', id, CHECKED[state], error])
  const sum = bad.length === 0 ? 'everything can be restored' : `a restore would fail (${bad.length} of ${rows.length})`
  return {
    text: `${inColumns(['SLUG', 'REPOSITORY', 'STATE', ''], rows)}\n${remote}: ${sum}.`,
    json: { ok: bad.length === 0, remote, repositories },
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
