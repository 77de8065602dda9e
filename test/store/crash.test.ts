/**
 * Kills the server without warning, again and again, and looks for anything acknowledged that is gone. CRASHES=200 for
 * more.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { Store } from '../../src/store/store.ts'
import { bundled } from '../bundled.ts'
import { random } from '../random.ts'
import { commitCount, fsck, git } from './git-cli.ts'

const CRASHES = Number(process.env.CRASHES ?? 6)
const LONGEST_RUN_MS = 400

const writer = bundled(join(import.meta.dirname, 'crash-writer.ts'))

/**
 * Starts a writer and kills it after a while; resolves to its lines. Every other writer lives until an acknowledged
 * write: on a busy machine the first one lasts longer than a whole run.
 */
async function runAndKill(directory: string, run: number): Promise<string[]> {
  const argv = [writer, directory, String(run)]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', data => {
      output += data
      if (output.includes(run % 2 === 0 ? 'acknowledged' : 'ready\n')) resolve()
    })
    child.once('exit', code => reject(new Error(`the writer ended by itself with ${code}`)))
  })
  await ready
  child.removeAllListeners('exit')
  // Short runs more often than long ones: opening, the first write and the first seal create files.
  await new Promise(resolve => setTimeout(resolve, LONGEST_RUN_MS * random() ** 2))
  child.kill('SIGKILL')
  await new Promise(resolve => child.once('close', resolve))
  return output.split('\n')
}

// tap would end a long run after half a minute.
t.setTimeout(0)

t.test(`${CRASHES} kills lose nothing`, { timeout: 0 }, async t => {
  const directory = t.testdir()
  const workTree = join(directory, 'acme')
  const acknowledged = new Map<string, number>()
  let acknowledgements = 0
  let replayed = 0
  // More when none of them came between an acknowledgement and its seal.
  for (let run = 1; run <= CRASHES || (run <= 10 * CRASHES && replayed === 0); run++) {
    const lines = await runAndKill(directory, run)
    for (const line of lines) {
      const [, path, version] = /^acknowledged (\S+) (\d+)$/.exec(line) ?? []
      if (path === undefined) continue
      acknowledgements++
      acknowledged.set(path, Math.max(acknowledged.get(path) ?? 0, Number(version)))
    }
    if (acknowledged.size === 0) continue

    t.equal(fsck(workTree), '', `kill ${run}: git finds nothing wrong before the recovery`)
    const store = await Store.open({
      directory,
      watch: false,
      log: {
        info: data => {
          replayed += 'writes' in data ? Number(data.writes) : 0
        },
        // A kill may cut a frame off half way, over what an earlier epoch left there.
        warn: (data, message) =>
          message.startsWith('the last frame of the journal was not whole') || t.fail(message, data),
        error: (data, message) => t.fail(message, data),
      },
    })
    const versions = await store.read('acme', snapshot =>
      snapshot
        .list('web/locales')
        .flatMap(({ name }) => snapshot.list(`web/locales/${name}`).map(file => `web/locales/${name}/${file.name}`))
        .map(path => [path, Number(JSON.parse(snapshot.read(path)!.toString()).version)] as const),
    )
    await store.close()
    const total = versions.reduce((sum, [, version]) => sum + version, 0)
    const lost = [...acknowledged].filter(([path, version]) => !((new Map(versions).get(path) ?? 0) >= version))
    t.same(lost, [], `kill ${run}: every acknowledged write is there`)
    t.equal(fsck(workTree), '', `kill ${run}: git finds nothing wrong after it`)
    t.equal(commitCount(workTree), total, `kill ${run}: one commit for each write, and none for anything else`)
    t.equal(git(workTree, 'status', '--porcelain'), '', `kill ${run}: the work tree is HEAD`)
  }
  t.comment(`${acknowledgements} writes acknowledged, ${replayed} of them found only in the journal`)
  t.ok(replayed > 0, 'some kill came between an acknowledgement and its seal')
})
