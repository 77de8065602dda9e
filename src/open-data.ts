/** Opens all that the data folder holds: lock, store, accounts and backup. */
import { join } from 'node:path'
import { Auth } from './auth/auth.ts'
import { Failure } from './bundle/errors.ts'
import { asBuffer } from './bundle/file-change.ts'
import { workIn } from './bundle/work.ts'
import type { Cluster } from './cluster/cluster.ts'
import type { ClusterConfig, Config } from './config.ts'
import { invitationMail } from './mail/invitation-mail.ts'
import { Mailer } from './mail/mailer.ts'
import { Outbox } from './mail/outbox.ts'
import { missingProjects, noProjects } from './project/layout.ts'
import { computeHere, MAX_WORK_IN_PLACE } from './project/offload.ts'
import type { Background } from './scheduling/background.ts'
import { slices } from './scheduling/slices.ts'
import { Backup } from './store/backup/backup.ts'
import type { BackupDelays } from './store/backup/delays.ts'
import { fetchInto, followAccounts } from './store/backup/fetch.ts'
import type { BackupRemote } from './store/backup/remote.ts'
import { hasRepository } from './store/create-repository.ts'
import { migrateDataFolder, refuseNewer, whyUnusable } from './store/data-folder.ts'
import { createFolders } from './store/disk.ts'
import { endsWithin } from './store/ends-within.ts'
import { lockDataFolder } from './store/lock.ts'
import type { Logger } from './store/log.ts'
import { boundOpenPacks } from './store/objects/objects.ts'
import { type Offload, Store } from './store/store.ts'
import { BundleWorker } from './worker/worker.ts'

/** Open organizations: more of them gain no speed. */
const MOST_ORGANIZATIONS = 200

/** Milliseconds: retries of mails, and the interval of looks for digests. For tests. */
export interface MailDelays {
  retry?: readonly [first: number, most: number]
  every?: number
}

/** For tests. */
export interface DataOptions {
  /** Milliseconds since 1970. */
  now?: () => number
  backupDelays?: Partial<BackupDelays>
  mailDelays?: MailDelays
}

/** The owner of the opened data. */
export interface Opener {
  log: Logger
  background: Background
  /** Registers the close of a part. The last one registered runs first. */
  onClose(close: () => Promise<void> | void): void
}

/** The parts of an open data folder. */
export interface OpenedData {
  store: Store
  auth: Auth
  /** Undefined without a backup remote; `elsewhere` on a node that does not push it. */
  backup: () => Backup | 'elsewhere' | undefined
  worker: BundleWorker
  compute: Offload
  /** Undefined for a single server. */
  cluster: Cluster | undefined
  /** Undefined without a mail server. */
  mailer: Mailer | undefined
}

/**
 * Opens lock, worker, store, auth and backup, in this order.
 * @throws Failure `unavailable` when another server holds the data folder, or that says why the folder cannot be used
 */
export const openData = (...given: Parameters<typeof openAll>): Promise<OpenedData> =>
  openAll(...given).catch(error => {
    throw whyUnusable(given[0].dataDir, error)
  })

/** Milliseconds for all nodes to confirm that tokens lost a project. */
const WITHDRAW_MS = 10_000

/**
 * Withdraws limited tokens before an external edit adds a project. The old project may return, or another project may
 * get its slug: the server cannot distinguish them. The wait is bounded, as other nodes may wait for this organization.
 * @throws Failure `unavailable` after WITHDRAW_MS; the edit is retried later
 */
async function withdrawInTime(auth: Auth, id: string, slug: string): Promise<void> {
  const withdrawn = auth.withdraw(id, slug, { path: 'external-edit', operator: true })
  if (!(await endsWithin(WITHDRAW_MS, withdrawn))) {
    const sentence = `Not all nodes confirmed in time that API tokens lost the project "${slug}".`
    throw new Failure('unavailable', sentence, { retryAfter: WITHDRAW_MS / 1000 })
  }
  await withdrawn
}

async function openAll(
  config: Config,
  { log, background, onClose }: Opener,
  { now, backupDelays, mailDelays }: DataOptions,
  descriptors: { organizations: number; packs: number },
) {
  await createFolders(config.dataDir)
  refuseNewer(config.dataDir)
  const lock = lockDataFolder(config.dataDir)
  onClose(() => lock.release())
  onClose(() => background.close())
  await migrateDataFolder(config.dataDir)
  const time = now === undefined ? {} : { now }
  const cluster = config.cluster && (await openCluster(config, config.cluster, background, log))
  if (cluster) onClose(() => cluster.close())
  const directory = join(config.dataDir, 'organizations')
  let backup: Backup | undefined
  boundOpenPacks(descriptors.packs)
  const { namespaceBody, pushBody } = config.limits
  // A push of many holds eight times as much: its resources are parsed one after the other.
  const worker = new BundleWorker(log, { largestBody: Math.max(namespaceBody, pushBody / 8) })
  onClose(() => worker.close())
  const compute = offloadTo(worker)
  const store = await Store.open({
    directory,
    cacheBytes: (config.cacheBytes / 8) * 3,
    maxOpen: Math.min(MOST_ORGANIZATIONS, descriptors.organizations),
    onSealed: id => backup?.changed(id),
    compute,
    adding: (id, slug) => withdrawInTime(auth, id, slug),
    sharedLog: cluster?.sharedLog,
    log,
    background,
    ...time,
  })
  onClose(() => store.close())
  const putAway = async (id: string, elsewhere: boolean) => {
    await backup?.forget(id)
    await store.remove(id, elsewhere)
  }
  const { mail } = config
  const mailer = mail && new Mailer(mail)
  const outbox = mailer && new Outbox(mailer, { background, log, ...mailDelays })
  const auth = await Auth.open({
    dataDir: config.dataDir,
    signUp: config.signUp,
    rateLimit: config.rateLimit,
    ...(config.oidc && { oidc: config.oidc }),
    onOrganizationDeleted: putAway,
    settle: id => store.settle(id),
    projectsFault: async (id, slugs) => {
      const missing = await store.read(id, snapshot => missingProjects(snapshot, slugs))
      return missing.length === 0 ? undefined : noProjects('rights', missing)
    },
    ...(config.baseUrl && { baseUrl: config.baseUrl }),
    background,
    log,
    ...(mail && { onInvited: invitation => outbox!.add(invitationMail(invitation, mail.baseUrl)) }),
    ...(cluster && { openEngine: options => cluster.openAccounts(options) }),
    ...time,
  })
  onClose(() => auth.close())
  if (cluster) {
    serveNodes(cluster, store, directory, config.backupRemote)
    // Repositories from the time before the cluster: the other nodes must not create them again.
    for (const id of await cluster.unknown(store.organizations())) {
      const unread = (err: unknown) =>
        log.error({ err, organization: id }, 'a repository cannot be given to the cluster')
      await store.readGit(id, async () => {}).catch(unread)
    }
  }
  if (config.backupRemote) {
    const { dataDir, backupRemote: remote } = config
    const delays = { check: config.backupCheckDays * 86_400_000, ...backupDelays }
    const begin = async (signal?: AbortSignal) => {
      if (signal) await followAccounts(remote, dataDir, signal)
      backup = await Backup.open({ remote, dataDir, store, directory, accounts: auth, log, background, delays })
      backup.start()
    }
    const end = async () => {
      await backup?.close()
      backup = undefined
    }
    onClose(end)
    const isPushed = (id: string, milliseconds: number) => backup?.has(id, milliseconds) ?? false
    if (cluster) cluster.backUp({ begin, end }, isPushed)
    else await begin()
  }
  // Another node deleted them, or this server was killed during the deletion.
  background.once('removing deleted organizations', async () => {
    for (const id of await auth.deleted(store.organizations())) await putAway(id, cluster !== undefined)
  })
  return { store, auth, backup: () => backup ?? (config.backupRemote && 'elsewhere'), worker, compute, cluster, mailer }
}

/** Loaded in a cluster only. @throws Failure `unavailable` for a database that cannot be used */
async function openCluster(config: Config, cluster: ClusterConfig, background: Background, log: Logger) {
  const { dataDir, backupRemote } = config
  const { Cluster } = await import('./cluster/cluster.ts')
  return Cluster.open({ ...cluster, dataDir, hasBackup: backupRemote !== undefined, background, log })
}

/** Serves this node's repositories to the other nodes, and updates them from the others. */
function serveNodes(cluster: Cluster, store: Store, directory: string, remote: BackupRemote | undefined): void {
  cluster.serveFrom({
    settleAll: async () => void (await Promise.all(store.organizations().map(id => store.settle(id)))),
    readGit: async (id, use) => {
      if (!(await hasRepository(join(directory, id)))) return false
      await store.readGit(id, use)
      return true
    },
    keepUp: id => store.readGit(id, async () => {}),
    ...(remote && {
      fromBackup: async (id, gitDir, signal) => {
        const failure = await fetchInto(remote, id, gitDir, signal)
        if (failure) throw new Failure('unavailable', failure.sentence)
      },
    }),
  })
}

/** Computes large tasks in the worker, small ones here in slices. */
function offloadTo(worker: BundleWorker): Offload {
  const pause = slices()
  return async (name, task, left) => {
    if (workIn(task) > MAX_WORK_IN_PLACE) return asGiven(await worker.run(name, () => task as never, left))
    const answer = await computeHere(name, task)
    await pause()
    return answer
  }
}

/** An answer of the worker; bytes from another thread are no Buffer. */
const asGiven = <T>(answer: unknown): T => (answer instanceof Uint8Array ? asBuffer(answer) : answer) as T
