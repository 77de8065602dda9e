/** What needs no system git works where there is none. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { fsck, git } from './git-cli.ts'

t.test('past states and releases', async t => {
  const directory = join(t.testdir(), 'organizations')
  const program = join(import.meta.dirname, 'without-git.ts')
  const argv = [program, directory]
  const output = execFileSync(process.execPath, argv, {
    encoding: 'utf8',
    env: { PATH: '/nonexistent', HOME: '/nonexistent' },
  })
  t.strictSame(JSON.parse(output), {
    git: null,
    times: [null, '1', '2', '100', '450', '499', '500', '500'],
    release: '500',
    deleted: 'not-found',
    short: 'unsupported',
    full: '42',
    listed: 1,
    same: true,
  })
  const workTree = join(directory, 'acme')
  t.equal(fsck(workTree), '', 'and git, once it is there, finds nothing wrong')
  t.equal(git(workTree, 'tag'), 'web/v1\n')
})
