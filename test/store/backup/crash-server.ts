/** The process that crash.test.ts kills: a server that backs up at once, and writes by itself without end. */
import { writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Backup } from '../../../src/store/backup/backup.ts'
import { BackupRemote } from '../../../src/store/backup/remote.ts'
import { Store } from '../../../src/store/store.ts'

const [dataDir = '', setting = '', mode] = process.argv.slice(2)
const directory = join(dataDir, 'organizations')
let backup: Backup | undefined
const store = await Store.open({ directory, watch: false, onSealed: id => backup?.changed(id) })
backup = await Backup.open({
  remote: BackupRemote.parse(setting, 'BACKUP_REMOTE'),
  dataDir,
  store,
  directory,
  accounts: {
    changes: () => 0,
    snapshot: async file => {
      writeFileSync(file, 'nobody')
      return { digest: 'nobody', organizations: ['acme'] }
    },
  },
  delays: { settle: 5, latest: 20, firstRetry: 20, lastRetry: 50, accounts: 60_000 },
})
backup.start()

/** Synchronous, so that a line is out before the kill that may follow it. */
const say = (line: string) => writeSync(1, `${line}\n`)

async function count(path: string): Promise<void> {
  for (;;) {
    const { result } = await store.write('acme', { name: 'Ann', email: 'ann@example.com' }, transaction => {
      const version = Number(JSON.parse(transaction.read(path)?.toString() ?? '{}').version ?? 0) + 1
      transaction.put(path, Buffer.from(`{\n  "version": "${version}"\n}\n`))
      return { result: version, message: { subject: `version ${version}` } }
    })
    say(`acknowledged ${path} ${result}`)
    await pause(5)
  }
}

say('ready')
if (mode === 'write')
  await Promise.all(['de', 'en', 'pl'].map(language => count(`web/locales/${language}/common.json`)))
else {
  while (backup.status('acme').state !== 'ok' || backup.status('acme').lastSuccess === null) await pause(20)
  say('caught up')
  await backup.close()
  await store.close()
}
