/** A remote that lacks what the last push left there: only what is ours is replaced or deleted. */
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { confirm, pushRepository } from '../../../src/store/backup/push-repository.ts'
import { BackupRemote } from '../../../src/store/backup/remote.ts'
import type { BackupTarget } from '../../../src/store/backup/target.ts'
import { noGit } from '../../http/git-client.ts'
import { git } from '../git-cli.ts'

if (noGit) t.bailout(noGit)

function scene(t: Test) {
  const root = t.testdir({ disk: {} })
  const here = join(root, 'here')
  const there = join(root, 'disk/acme.git')
  const gitDir = join(here, '.git')
  git('/', 'init', '-q', '-b', 'main', here)
  mkdirSync(join(gitDir, 'parlance'))
  const commit = (text: string) =>
    git(here, '-c', 'user.name=A', '-c', 'user.email=a@x', 'commit', '-q', '--allow-empty', '-m', text)
  const target = { id: 'acme', lastSuccess: null, changed() {} } as unknown as BackupTarget
  const remote = BackupRemote.parse(join(root, 'disk/{organization}.git'), 'BACKUP_REMOTE')
  const route = { gitDir, remote, signal: AbortSignal.timeout(60_000) }
  /** As each regular question does. */
  const bringUp = async () => {
    const asked = await confirm(target, route)
    return asked.state === 'behind' ? pushRepository(target, route, asked.isSurprising) : asked
  }
  const refsThere = () => git(there, 'for-each-ref', '--format=%(refname)').trim().split('\n')
  return { root, here, there, commit, bringUp, refsThere }
}

t.test('leaves refs of others alone when the branch there was set back', async t => {
  const { there, commit, bringUp, refsThere } = scene(t)
  commit('1')
  t.match(await bringUp(), { state: 'done' })
  commit('2')
  t.match(await bringUp(), { state: 'done' })
  git(there, 'update-ref', 'refs/heads/main', 'main~1')
  git(there, 'tag', 'own', 'main')
  git(there, 'update-ref', 'refs/pull/1/head', 'main')
  t.match(await bringUp(), { state: 'done', surprising: true })
  t.strictSame(refsThere(), ['refs/heads/main', 'refs/pull/1/head', 'refs/tags/own'])
})

t.test('leaves a release there that an older data folder does not have', async t => {
  const { root, here, commit, bringUp, refsThere } = scene(t)
  commit('1')
  t.match(await bringUp(), { state: 'done' })
  cpSync(here, join(root, 'older'), { recursive: true })
  commit('2')
  git(here, 'tag', 'web/v2')
  t.match(await bringUp(), { state: 'done' })
  rmSync(here, { recursive: true })
  cpSync(join(root, 'older'), here, { recursive: true })
  t.match(await bringUp(), { state: 'diverged' })
  t.strictSame(refsThere(), ['refs/heads/main', 'refs/tags/web/v2'])
})
