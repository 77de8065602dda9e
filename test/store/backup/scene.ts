/** A store that is backed up, with accounts that are a single word. */
import fs from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { AccountsSource } from '../../../src/store/backup/accounts.ts'
import { Backup } from '../../../src/store/backup/backup.ts'
import type { BackupDelays } from '../../../src/store/backup/delays.ts'
import { BackupRemote } from '../../../src/store/backup/remote.ts'
import { Store } from '../../../src/store/store.ts'
import { eventually } from '../../contract/server.ts'
import { git } from '../git-cli.ts'

const QUICK: Partial<BackupDelays> = { settle: 20, latest: 200, firstRetry: 40, lastRetry: 150, accounts: 20 }
const ANN = { name: 'Ann', email: 'ann@example.com' }

/** Accounts that are a single word. */
export class Word implements AccountsSource {
  #word: string
  #changes = 0
  snapshots = 0
  organizations: string[] = []

  constructor(word = 'first') {
    this.#word = word
  }

  say(word: string) {
    this.#word = word
    this.#changes++
  }

  changes = () => this.#changes

  async snapshot(file: string) {
    this.snapshots++
    fs.writeFileSync(file, this.#word, { flag: 'wx' })
    return { digest: this.#word, organizations: this.organizations }
  }
}

interface Options {
  dataDir?: string
  delays?: Partial<BackupDelays>
  now?: () => number
  word?: Word
}

export async function open(t: Test, remote: string, { dataDir: given, delays, now, word = new Word() }: Options = {}) {
  const dataDir = given ?? join(t.testdirName, 'data')
  const directory = join(dataDir, 'organizations')
  const lines: [object, string][] = []
  const note = (data: object, text: string) => void lines.push([data, text])
  let backup: Backup | undefined
  const store = await Store.open({
    directory,
    watch: false,
    onSealed: id => backup?.changed(id),
    ...(now === undefined ? {} : { now }),
  })
  backup = await Backup.open({
    remote: BackupRemote.parse(remote, 'BACKUP_REMOTE'),
    dataDir,
    store,
    directory,
    accounts: word,
    log: { info: note, warn: note, error: note },
    delays: { ...QUICK, ...delays },
  })
  let closed: Promise<void> | undefined
  const close = () => (closed ??= backup!.close().then(() => store.close()))
  t.teardown(close)
  const put = (organization: string, text: string, path = 'web/locales/de/common.json') =>
    store.write(organization, ANN, tx => ({
      result: tx.put(path, Buffer.from(`{\n  "a": "${text}"\n}\n`)),
      message: { subject: text },
    }))
  const folder = (organization: string) => join(directory, organization)
  const head = (repository: string) => git(repository, 'rev-parse', 'main').trim()
  const reaches = (organization: string, path: string) =>
    eventually(async () => {
      const wanted = await store.read(organization, ({ revision }) => revision)
      try {
        // In this order: asking git at each look needs more processor time than the rest of the tests.
        return backup!.status(organization).state === 'ok' && head(path) === wanted
      } catch {
        return false
      }
    })
  return { dataDir, store, backup, put, close, folder, lines, word, reaches, head }
}
