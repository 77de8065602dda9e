/**
 * `parlance server backup`: pushes everything to BACKUP_REMOTE once, or proves that a restore from there would work.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Auth } from '../auth/auth.ts'
import { Failure } from '../bundle/errors.ts'
import { inColumns } from '../cli/terminal/table.ts'
import { ACCOUNTS } from '../store/backup/accounts.ts'
import { Backup, type PushResult } from '../store/backup/backup.ts'
import { type CheckResult, checkBackup } from '../store/backup/check.ts'
import type { BackupRemote } from '../store/backup/remote.ts'
import { migrateDataFolder } from '../store/data-folder.ts'
import { isLocked, lockDataFolder } from '../store/lock.ts'
import { Store } from '../store/store.ts'
import { slugsOf } from './data-folder.ts'
import type { CommandCall, OperatorResult } from './report.ts'

type Options = CommandCall<{ check?: boolean }>

const STATES = { ok: 'pushed', empty: 'nothing to push yet', failing: 'failed', diverged: 'diverged' }
const CHECKED = {
  ok: 'can be restored',
  empty: 'nothing is written yet',
  missing: 'missing',
  damaged: 'damaged',
  failing: 'not looked at',
}

export async function run(call: Options): Promise<OperatorResult> {
  const { config, options } = call
  const { dataDir, backupRemote: remote } = config
  if (options.check) {
    if (remote === undefined) throw new Failure('invalid', 'Set BACKUP_REMOTE to where the backup is.')
    return check(call, remote)
  }
  if (remote === undefined) throw new Failure('invalid', 'Set BACKUP_REMOTE to where the backup is to go.')
  if (config.cluster) {
    const words = 'Nodes that share CLUSTER push by themselves, one of them at a time: start them with BACKUP_REMOTE.'
    throw new Failure('unavailable', words)
  }
  if (isLocked(dataDir)) {
    throw new Failure(
      'unavailable',
      `A server runs on ${dataDir}: with BACKUP_REMOTE set it pushes by itself soon after each change, and /api/health reports the result.`,
    )
  }
  const results = await pushAll(call, remote)
  call.terminal.stop.throwIfAborted()
  const sum = (bad: number) => (bad === 0 ? 'everything is there' : `${bad} of ${results.length} failed`)
  return outcome(remote, results, await slugsOf(dataDir), STATES, sum)
}

/** Pushes every organization, changed or not, and at last the accounts. */
async function pushAll({ config, report, terminal }: Options, remote: BackupRemote): Promise<PushResult[]> {
  const { dataDir } = config
  const { log } = report
  if (!existsSync(join(dataDir, 'parlance.sqlite'))) {
    throw new Failure('not-found', `There is no data of a Parlance server in ${dataDir}: set DATA_DIR.`)
  }
  const lock = lockDataFolder(dataDir)
  const closers: (() => Promise<void> | void)[] = [() => lock.release()]
  try {
    await migrateDataFolder(dataDir)
    const directory = join(dataDir, 'organizations')
    const store = await Store.open({ directory, watch: false, log })
    closers.unshift(() => store.close())
    const auth = await Auth.open({ dataDir, signUp: 'closed', rateLimit: false, log })
    closers.unshift(() => auth.close())
    const backup = await Backup.open({ remote, dataDir, store, directory, accounts: auth, log, delays: { grace: 0 } })
    closers.unshift(() => backup.close())
    const stop = () => void backup.close()
    terminal.stop.addEventListener('abort', stop)
    let done = 0
    const progress = () => report.progress(`${++done} done`)
    return await backup.pushAll(progress).finally(() => terminal.stop.removeEventListener('abort', stop))
  } finally {
    for (const close of closers) await close()
  }
}

async function check({ report, terminal }: Options, remote: BackupRemote): Promise<OperatorResult> {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-check-'))
  const results: CheckResult[] = []
  let slugs: Promise<Map<string, string>> | undefined
  try {
    await checkBackup({ remote, folder, log: report.log, signal: terminal.stop }, (result, accounts) => {
      if (result.id === ACCOUNTS && result.state === 'ok') slugs = slugsOf(accounts)
      report.progress(`${results.push(result)} done`)
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const sum = (bad: number) =>
    bad === 0 ? 'everything can be restored' : `a restore would fail (${bad} of ${results.length})`
  return outcome(remote, results, (await slugs) ?? new Map(), CHECKED, sum)
}

/** @param states what each state is called @param sum the whole, by how many are neither done nor empty */
function outcome<S extends string>(
  remote: BackupRemote,
  results: { id: string; state: S; error?: string }[],
  slugs: Map<string, string>,
  states: Record<S, string>,
  sum: (bad: number) => string,
): OperatorResult {
  const repositories = results.map(({ id, ...result }) => ({ id, slug: slugs.get(id) ?? null, ...result }))
  const bad = repositories.filter(({ state }) => state !== 'ok' && state !== 'empty').length
  const rows = repositories.map(({ id, slug, state, error = '' }) => [slug ?? '', id, states[state], error])
  return {
    text: `${inColumns(['SLUG', 'REPOSITORY', 'STATE', ''], rows)}\n${remote}: ${sum(bad)}.`,
    json: { ok: bad === 0, remote, repositories },
    code: bad === 0 ? 0 : 1,
  }
}
