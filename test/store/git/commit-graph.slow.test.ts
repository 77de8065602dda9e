// It restores what it changes, so it shares its process (test/groups.mjs).
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { clearUnfinished, listPacks, objectsOutside, writeCommitGraph } from '../../../src/store/git/repack.ts'
import { fsck, git } from '../git-cli.ts'
import { openStore } from './many-packs.ts'

const never = new AbortController().signal

async function withGraph(t: Test, commits: number) {
  const opened = await openStore(t)
  for (let version = 0; version < commits; version++) await opened.put('web/a.json', version)
  await writeCommitGraph(opened.gitDir, never)
  const folder = join(opened.gitDir, 'objects/info/commit-graphs')
  return {
    ...opened,
    folder,
    files: () => fs.readdirSync(folder).filter(name => name.endsWith('.graph')),
    layers: () => fs.readFileSync(join(folder, 'commit-graph-chain'), 'latin1').trim().split('\n'),
    outside: async () => objectsOutside(opened.gitDir, await listPacks(opened.gitDir)),
  }
}

/** How many commits git passes over by the graph's filters alone, when it searches for a file that there never was. */
function passedOver(workTree: string): number {
  const trace = join(workTree, '..', 'trace')
  fs.rmSync(trace, { force: true })
  process.env.GIT_TRACE2_PERF = trace
  try {
    git(workTree, 'log', '--format=%H', '--', 'web/never.json')
  } finally {
    delete process.env.GIT_TRACE2_PERF
  }
  return Number(/"definitely_not":(\d+)/.exec(fs.readFileSync(trace, 'utf8'))?.[1])
}

t.test('the graph holds all commits with the paths they change, and git accepts it', async t => {
  const { workTree, layers, files, leftovers, outside } = await withGraph(t, 20)
  t.equal(layers().length, 1)
  t.strictSame(files(), [`graph-${layers()[0]}.graph`])
  t.equal(git(workTree, 'commit-graph', 'verify'), '')
  t.equal(fsck(workTree), '')
  t.equal(passedOver(workTree), 19, 'all but the first, which is compared with nothing')
  t.strictSame(leftovers(), [])
  t.equal(await outside(), 0)
})

t.test('new commits become a layer, and many layers one', async t => {
  const { workTree, gitDir, layers, files, outside, put } = await withGraph(t, 30)
  for (let version = 30; version < 34; version++) await put('web/a.json', version)
  t.equal(await outside(), 4 * 4, 'a blob, two trees and a commit each')
  const [lowest] = layers()
  await writeCommitGraph(gitDir, never)
  t.equal(layers().length, 2)
  t.equal(layers()[0], lowest, 'what there was is not written again')
  t.equal(passedOver(workTree), 33)
  t.equal(await outside(), 0)
  await writeCommitGraph(gitDir, never)
  t.equal(layers().length, 2, 'nothing new, nothing written')

  let version = 34
  for (; version < 60; version++) {
    await put('web/a.json', version)
    await writeCommitGraph(gitDir, never)
    t.equal(passedOver(workTree), version)
    t.ok(layers().length <= 6, `${layers().length} layers of ${version + 1} commits`)
    t.ok(files().length <= layers().length + 6, `${files().length} files`)
  }
  t.equal(git(workTree, 'commit-graph', 'verify'), '')
  t.equal(fsck(workTree), '')
})

t.test("a person's own graph without filters and one that has lost a layer are replaced", async t => {
  const { workTree, gitDir, layers, folder } = await withGraph(t, 10)
  fs.rmSync(folder, { recursive: true })
  git(workTree, 'commit-graph', 'write', '--reachable')
  t.not(passedOver(workTree), 9)
  const single = join(gitDir, 'objects/info/commit-graph')
  t.ok(fs.existsSync(single))
  await writeCommitGraph(gitDir, never)
  t.notOk(fs.existsSync(single))
  t.equal(passedOver(workTree), 9)
  fs.rmSync(folder, { recursive: true })
  git(workTree, 'commit-graph', 'write', '--reachable', '--split')
  t.not(passedOver(workTree), 9)
  fs.rmSync(join(folder, `graph-${layers()[0]}.graph`))
  await writeCommitGraph(gitDir, never)
  t.equal(passedOver(workTree), 9)
  t.equal(fsck(workTree), '')
})

t.test('a lock that a killed git left is no obstacle when the note names it', async t => {
  const { workTree, gitDir, folder, put, leftovers } = await withGraph(t, 10)
  await put('web/a.json', 10)
  const lock = join(folder, 'commit-graph-chain.lock')
  fs.writeFileSync(lock, '')
  // The note's time has milliseconds.
  fs.utimesSync(lock, new Date(Date.now() - 1000), new Date(Date.now() - 1000))
  await t.rejects(writeCommitGraph(gitDir, never), { message: /^git commit-graph ended with/ })
  t.ok(fs.existsSync(lock), "it may be a person's")
  fs.rmSync(lock)
  const ended = spawnSync('true')
  fs.writeFileSync(join(gitDir, 'parlance/maintenance'), `${ended.pid}\n`)
  fs.writeFileSync(lock, '')
  t.equal(await clearUnfinished(gitDir), true)
  await writeCommitGraph(gitDir, never)
  t.equal(passedOver(workTree), 10)
  t.strictSame(leftovers(), [])
})
