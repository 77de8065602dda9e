import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { fetchBundle, streamBundle } from '../../../src/store/git/git-bundle.ts'
import { noGit } from '../../http/git-client.ts'
import { git } from '../git-cli.ts'

if (noGit) t.bailout(noGit)

t.test('a repository that was far behind has the refs of the other one, and no others', async t => {
  const root = t.testdir()
  const [one, two] = ['one', 'two'].map(name => join(root, name)) as [string, string]
  git('/', 'init', '-q', '-b', 'main', one)
  const person = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  const commit = (text: string) => {
    writeFileSync(join(one, 'a.json'), text)
    git(one, 'add', '.')
    git(one, ...person, 'commit', '-qm', text)
  }
  const release = (name: string) => git(one, ...person, 'tag', '-a', '-m', name, name)
  commit('1')
  for (const name of ['web/v1', 'web/v2']) release(name)
  git('/', 'clone', '-q', one, two)
  // A new project gets the slug of the releases meanwhile.
  for (const name of ['v1', 'v2']) {
    const id = git(one, 'rev-parse', `refs/tags/web/${name}`).trim()
    git(one, 'update-ref', `refs/parlance/released/web/${id}/${name}`, id)
    git(one, 'tag', '-d', `web/${name}`)
  }
  commit('2')
  release('web/v1')
  const sent = new PassThrough()
  const signal = AbortSignal.timeout(60_000)
  await Promise.all([streamBundle(join(one, '.git'), sent, signal), fetchBundle(join(two, '.git'), sent, signal)])
  const refs = (folder: string) => git(folder, 'for-each-ref', 'refs/heads', 'refs/tags', 'refs/parlance')
  t.equal(refs(two), refs(one))
})
