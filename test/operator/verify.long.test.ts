/** What `parlance server verify` finds in damaged folders, after kills and beside a server that writes. */
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { framesAtStart } from '../../src/store/write/journal.ts'
import { kill, start as startProcess } from '../contract/process.ts'
import { git, type Server, startServer } from '../contract/server.ts'
import { type Finding, flip, isGood, makeFolder, verify, verifyWithoutGit } from './verifying.ts'

t.setTimeout(0)

const middle = (size: number) => size >> 1

t.test('finds and names each damage, and says what to do', async t => {
  const made = await makeFolder(t)
  const folder = join(made.dataDir, '..')
  const inPack = (work: string, extension: string) => {
    const packs = join(work, '.git/objects/pack')
    return join(packs, fs.readdirSync(packs).find(name => name.endsWith(extension))!)
  }
  const loose = (work: string) => {
    const id = git(work, 'rev-parse', 'web/1.0').trim()
    return join(work, '.git/objects', id.slice(0, 2), id.slice(2))
  }
  const main = (work: string) => join(work, '.git/refs/heads/main')
  interface Case {
    name: string
    harm: (work: string, dataDir: string) => void
    severity?: string
    path: RegExp
    what: RegExp
    todo?: RegExp
    /** Also reported without a git. */
    alone?: boolean
    organization?: null
    code?: number
  }
  const cases: Case[] = [
    {
      name: 'a byte of a pack',
      harm: work => flip(inPack(work, '.pack'), middle),
      path: /^\.git\/objects\/pack\/pack-\w+\.pack$/,
      what: /checksum/,
      todo: /parlance server restore/,
      alone: true,
    },
    {
      name: 'a byte of the sum of a pack',
      harm: work => flip(inPack(work, '.pack'), size => size - 1),
      path: /\.pack$/,
      what: /checksum/,
    },
    {
      name: 'a byte of an index',
      harm: work => flip(inPack(work, '.idx'), middle),
      path: /^\.git\/objects\/pack\/pack-\w+\.idx$/,
      what: /checksum/,
      todo: /git index-pack pack-\w+\.pack/,
    },
    {
      name: 'a pack that is gone',
      harm: work => fs.rmSync(inPack(work, '.pack')),
      path: /^\.git\/(objects|refs)/,
      what: /missing|lacks|fsck|no commit/,
      alone: true,
    },
    {
      name: 'an index that is gone',
      harm: work => fs.rmSync(inPack(work, '.idx')),
      severity: 'warning',
      path: /\.pack$/,
      what: /No index/,
      todo: /git index-pack/,
      alone: true,
    },
    {
      name: 'a byte of a loose object',
      harm: work => flip(loose(work), middle),
      path: /^\.git\/objects/,
      what: /[0-9a-f]{40}/,
      alone: true,
    },
    {
      name: 'a file of the work tree, still good JSON',
      harm: work => fs.writeFileSync(join(work, 'web/locales/en/common.json'), '{\n  "a": "b"\n}\n'),
      severity: 'warning',
      path: /^web\/locales\/en\/common\.json$/,
      what: /differs from HEAD/,
      todo: /git checkout HEAD/,
      alone: true,
    },
    {
      name: 'a byte of a file of the work tree',
      harm: work => flip(join(work, 'web/locales/en/common.json'), 0),
      severity: 'warning',
      path: /^web\/locales\/en\/common\.json$/,
      what: /breaks the rules.*JSON/,
    },
    {
      name: 'a file of the work tree that is gone',
      harm: work => fs.rmSync(join(work, 'web/locales/en/common.json')),
      severity: 'warning',
      path: /^web\/locales\/en\/common\.json$/,
      what: /not in the work tree/,
    },
    {
      name: 'a file of the work tree that is a link',
      harm: work => {
        fs.rmSync(join(work, 'web/project.json'))
        fs.symlinkSync('/etc/passwd', join(work, 'web/project.json'))
      },
      severity: 'warning',
      path: /^web\/project\.json$/,
      what: /link/,
    },
    {
      name: 'a digit of the ref',
      harm: work =>
        fs.writeFileSync(
          main(work),
          fs.readFileSync(main(work), 'utf8').replace(/^./, digit => (digit === '0' ? '1' : '0')),
        ),
      path: /^\.git\/refs\/heads\/main$/,
      what: /no commit/,
      todo: /write [0-9a-f]{40}/,
      alone: true,
    },
    {
      name: 'a letter in the ref',
      harm: work => fs.writeFileSync(main(work), `x${fs.readFileSync(main(work), 'utf8').slice(1)}`),
      path: /^\.git\/refs\/heads\/main$/,
      what: /cannot be read/,
      todo: /write [0-9a-f]{40}/,
    },
    {
      name: 'the ref is gone',
      harm: work => fs.rmSync(main(work)),
      path: /^\.git\/refs\/heads\/main$/,
      what: /gone/,
      todo: /write [0-9a-f]{40}/,
    },
    {
      name: 'a ref moved back',
      harm: work => fs.writeFileSync(main(work), `${git(work, 'rev-parse', 'main~3')}`),
      severity: 'warning',
      path: /^\.git\/refs\/heads\/main$/,
      what: /does not hold [0-9a-f]{40}/,
      todo: /write [0-9a-f]{40}/,
    },
    {
      name: 'a tag',
      harm: work => fs.writeFileSync(join(work, '.git/refs/tags/web/1.0'), `${'0'.repeat(40)}\n`),
      path: /^\.git\/refs\/tags\/web\/1\.0$/,
      what: /no object/,
    },
    {
      name: 'HEAD',
      harm: work => fs.writeFileSync(join(work, '.git/HEAD'), 'ref: refs/heads/other\n'),
      severity: 'warning',
      path: /^\.git\/HEAD$/,
      what: /other/,
    },
    {
      name: 'the note of the branch',
      harm: work => fs.writeFileSync(join(work, '.git/parlance/head'), `${'1'.repeat(40)}\n`),
      severity: 'warning',
      path: /^\.git\/parlance\/head$/,
      what: /1{40}/,
    },
    {
      name: 'a byte of the index',
      harm: work => flip(join(work, '.git/index'), middle),
      path: /^\.git\/index$/,
      what: /checksum/,
      todo: /remove the file/,
    },
    {
      name: 'a lock of a git that was killed',
      harm: work => {
        const lock = join(work, '.git/index.lock')
        fs.writeFileSync(lock, '')
        fs.utimesSync(lock, 1, 1)
      },
      severity: 'warning',
      path: /^\.git\/index\.lock$/,
      what: /lock/,
    },
    {
      name: 'a folder without a repository',
      harm: work => fs.rmSync(join(work, '.git'), { recursive: true }),
      path: /^\.git$/,
      what: /no repository/,
    },
    {
      name: 'an organization without its folder',
      harm: work => fs.rmSync(work, { recursive: true }),
      severity: 'warning',
      path: /^$/,
      what: /no folder/,
    },
    {
      name: 'a version that is none',
      harm: (_, dataDir) => flip(join(dataDir, 'version'), 0, 0x40),
      organization: null,
      path: /^version$/,
      what: /does not hold a version/,
      todo: /write 1 and a line break/,
    },
    {
      name: 'a folder from before there were versions',
      harm: (_, dataDir) => fs.rmSync(join(dataDir, 'version')),
      severity: 'note',
      code: 0,
      organization: null,
      path: /^version$/,
      what: /no version yet/,
    },
    {
      name: 'a journal that a start could not read to its end',
      harm: work => fs.writeFileSync(join(work, '.git/parlance/unread-journal'), 'x'),
      severity: 'warning',
      path: /^\.git\/parlance\/unread-journal$/,
      what: /dropped the last frame/,
      todo: /remove the file/,
    },
    {
      name: 'page 2 of SQLite',
      harm: (_, dataDir) => flip(join(dataDir, 'parlance.sqlite'), 4096),
      organization: null,
      path: /^parlance\.sqlite$/,
      what: /SQLite/,
      todo: /parlance server restore/,
    },
    {
      name: 'the beginning of SQLite',
      harm: (_, dataDir) => flip(join(dataDir, 'parlance.sqlite'), 3),
      organization: null,
      path: /^parlance\.sqlite$/,
      what: /not a database/,
    },
    {
      name: 'SQLite is gone',
      harm: (_, dataDir) => fs.rmSync(join(dataDir, 'parlance.sqlite')),
      organization: null,
      path: /^parlance\.sqlite$/,
      what: /missing/,
    },
    {
      name: 'the mode of SQLite',
      harm: (_, dataDir) => fs.chmodSync(join(dataDir, 'parlance.sqlite'), 0o644),
      severity: 'warning',
      organization: null,
      path: /^parlance\.sqlite$/,
      what: /0644/,
      todo: /chmod 600/,
    },
    {
      name: 'the mode of the secret',
      harm: (_, dataDir) => fs.chmodSync(join(dataDir, 'secret'), 0o640),
      severity: 'warning',
      organization: null,
      path: /^secret$/,
      what: /0640/,
      todo: /chmod 600/,
    },
    {
      name: 'a short secret',
      harm: (_, dataDir) => fs.writeFileSync(join(dataDir, 'secret'), 'short'),
      organization: null,
      path: /^secret$/,
      what: /shorter/,
    },
    {
      name: 'a secret that is gone',
      harm: (_, dataDir) => fs.rmSync(join(dataDir, 'secret')),
      severity: 'note',
      organization: null,
      path: /^secret$/,
      what: /no secret/,
      code: 0,
    },
    {
      name: 'a folder of no organization',
      harm: (_, dataDir) => fs.mkdirSync(join(dataDir, 'organizations/not an id')),
      severity: 'warning',
      organization: null,
      path: /not an id/,
      what: /no folder of an organization/,
    },
  ]
  for (const [index, row] of cases.entries()) {
    const dataDir = join(folder, `case${index}`)
    fs.cpSync(made.dataDir, dataDir, { recursive: true, preserveTimestamps: true })
    row.harm(join(dataDir, 'organizations', made.id), dataDir)
    for (const [how, check] of [
      ['with git', verify],
      ['without', verifyWithoutGit],
    ] as const) {
      if (how === 'without' && !row.alone) continue
      const { code, json, errors } = await check(t, dataDir)
      const said = `${row.name}, ${how}: ${JSON.stringify(json?.findings)}${errors}`
      t.equal(code, row.code ?? 1, said)
      const findings = (json?.findings ?? []) as Finding[]
      const found = findings.find(
        ({ severity, path, what, todo }) =>
          severity === (row.severity ?? 'error') &&
          row.path.test(path) &&
          row.what.test(what) &&
          (row.todo ?? /./).test(todo),
      )
      t.ok(found, said)
      const whose = row.organization === null ? null : made.id
      t.equal(found?.organization?.id ?? null, whose, said)
      t.ok(
        findings.every(({ organization }) => organization?.id !== made.other),
        `${said}: nothing of the other one`,
      )
      t.ok(
        findings.every(({ todo, what }) => todo.length > 0 && what.length > 0),
        said,
      )
    }
    fs.rmSync(dataDir, { recursive: true })
  }
})

t.test('a folder that SQLite knows nothing of', async t => {
  const { dataDir, id, other } = await makeFolder(t)
  fs.renameSync(join(dataDir, 'organizations', id), join(dataDir, 'organizations', 'x'.repeat(32)))
  const { code, json } = await verify(t, dataDir)
  t.equal(code, 1)
  t.strictSame(
    (json.findings as Finding[]).map(({ organization, severity }) => [organization?.id, severity]),
    [
      ['x'.repeat(32), 'warning'],
      [id, 'warning'],
    ],
    'the one without a row, and the one without a folder',
  )
  t.not(id, other)
})

t.test('what it says to do helps', async t => {
  const { dataDir, id } = await makeFolder(t)
  const work = join(dataDir, 'organizations', id)
  const packs = join(work, '.git/objects/pack')
  const todoFor = async (path: RegExp): Promise<string> => {
    const { json } = await verify(t, dataDir)
    return (json.findings as Finding[]).find(finding => path.test(finding.path))!.todo
  }

  const index = fs.readdirSync(packs).find(name => name.endsWith('.idx'))!
  flip(join(packs, index), middle)
  const [, pack] = /git index-pack (\S+)`/.exec(await todoFor(/\.idx$/))!
  fs.rmSync(join(packs, index))
  execFileSync('git', ['index-pack', pack!], { cwd: packs, stdio: 'pipe' })
  isGood(t, await verify(t, dataDir), 'the index is rebuilt')

  const main = join(work, '.git/refs/heads/main')
  fs.writeFileSync(main, 'x'.repeat(41))
  const [, commit] = /write ([0-9a-f]{40})/.exec(await todoFor(/main$/))!
  fs.writeFileSync(main, `${commit}\n`)
  isGood(t, await verify(t, dataDir), 'the branch is back')

  fs.writeFileSync(join(work, 'web/project.json'), '{')
  const [, command] = /`(git checkout [^`]+)`/.exec(await todoFor(/project\.json$/))!
  execFileSync('git', ['-c', 'safe.directory=*', ...command!.split(' ').slice(1)], { cwd: work, stdio: 'pipe' })
  isGood(t, await verify(t, dataDir), 'the file is back')

  flip(join(work, '.git/index'), middle)
  t.match(await todoFor(/index$/), /remove the file/)
  fs.rmSync(join(work, '.git/index'))
  isGood(t, await verify(t, dataDir), 'without an index')
})

t.test('checks the files of maintenance too', async t => {
  const { dataDir, id } = await makeFolder(t)
  const work = join(dataDir, 'organizations', id)
  git(work, 'repack', '-adbq')
  git(work, '-c', 'pack.writeReverseIndex=true', 'repack', '-adFbq')
  git(work, 'commit-graph', 'write', '--reachable', '--changed-paths', '--split')
  git(work, 'multi-pack-index', 'write')
  isGood(t, await verify(t, dataDir), 'as it was created')
  const made = fs
    .readdirSync(join(work, '.git/objects'), { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && /bitmap$|rev$|graph$|multi-pack-index$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
  t.ok(made.length >= 4, made.join(' '))
  for (const path of made) {
    const good = fs.readFileSync(path)
    flip(path, middle)
    const { code, json } = await verify(t, dataDir)
    t.equal(code, 1, path)
    const finding = (json.findings as Finding[]).find(finding => path.endsWith(finding.path))
    t.match(finding, { severity: 'error', what: /checksum/, todo: /remove the file/ }, path)
    fs.writeFileSync(path, good)
  }
  isGood(t, await verify(t, dataDir), 'as it was created, again')
})

/** A server that was killed while it held writes in its journal alone. */
async function killedInTheMiddle(t: Test, dataDir: string) {
  for (let attempt = 0; attempt < 20; attempt++) {
    const run = await startProcess(t, dataDir)
    const acme = await run.server.organization('Ann')
    await run.server.project(acme.key, 'web')
    await pause(400)
    let acknowledged = 0
    for (; acknowledged < 6; acknowledged++) {
      await run.server.put(`/api/projects/web/bundles/en/n${acknowledged}`, acme.key, { a: `text ${acknowledged}` })
    }
    await kill(run)
    const gitDir = join(run.server.repository(acme.id), '.git')
    const packs = fs.readdirSync(join(gitDir, 'objects/pack'))
    // In the middle of a seal there are two journals, and a pack may have no index yet.
    const isSealing = packs.some(name => name.endsWith('.pack') && !packs.includes(name.replace('.pack', '.idx')))
    const parts = join(gitDir, 'parlance')
    const journals = fs
      .readdirSync(parts)
      .filter(name => name.startsWith('journal-'))
      .map(name => ({ journal: join(parts, name), bytes: fs.readFileSync(join(parts, name)) }))
      .map(one => ({ ...one, ...framesAtStart(one.bytes) }))
      .filter(({ commits }) => commits.length > 0)
    const [only] = journals
    if (isSealing || journals.length !== 1 || only!.commits.length < 3) continue
    const frames = frameEnds(only!.bytes)
    if (frames.length < 3 || !isMissing(run.server.repository(acme.id), only!.commits[0]!.after)) continue
    return { id: acme.id, key: acme.key, journal: only!.journal, frames, commits: only!.commits }
  }
  throw new Error('never killed between acknowledging and sealing')
}

/** A journal's commits are sealed together, and it is emptied only after that. */
function isMissing(work: string, id: string): boolean {
  return spawnSync('git', ['-c', 'safe.directory=*', '-C', work, 'cat-file', '-e', id]).status !== 0
}

/** Where each frame of a journal ends, by the lengths that they begin with. */
function frameEnds(bytes: Buffer): number[] {
  const ends: number[] = []
  const epoch = bytes.readUIntBE(4, 6)
  for (let at = 0; at + 34 < bytes.length && bytes.readUInt32BE(at) > 0 && bytes.readUIntBE(at + 4, 6) === epoch; ) {
    at += 34 + bytes.readUInt32BE(at)
    ends.push(at)
  }
  return ends
}

t.test('a journal with writes in it is no fault; damage in the middle of it is', async t => {
  const folder = t.testdir()
  const dataDir = join(folder, 'data')
  const { id, journal, frames, commits } = await killedInTheMiddle(t, dataDir)
  const found = async () => {
    const { code, json } = await verify(t, dataDir)
    const own = (json.findings as Finding[]).filter(({ organization }) => organization?.id === id)
    return { code, journal: own.filter(({ path }) => path.includes('/parlance')), own }
  }
  const good = fs.readFileSync(journal)

  const killed = await found()
  t.equal(killed.code, 0, JSON.stringify(killed.own))
  t.match(killed.journal, [
    { severity: 'note', what: new RegExp(`${commits.length} acknowledged writes not yet sealed`) },
  ])
  t.ok(
    killed.own.some(({ path, severity }) => path.endsWith('main.lock') && severity === 'note'),
    'the stale lock',
  )

  const first = frames[0]!
  const last = frames.at(-1)!
  for (const [what, at] of [
    ['the length', 1],
    ['the epoch', 9],
    ['the sum', 20],
    ['the body', first >> 1],
  ] as const) {
    flip(journal, at)
    const { code, journal: said } = await found()
    t.equal(code, 1, what)
    t.match(
      said[0],
      { severity: 'error', what: /damaged at byte \d+: \d+ acknowledged writes? behind/, todo: /Copy the file/ },
      what,
    )
    fs.writeFileSync(journal, good)
  }

  flip(journal, last - 5)
  const tail = await found()
  t.equal(tail.code, 1)
  t.match(tail.journal, [
    { severity: 'warning', what: /cut off before it was acknowledged, or damage/ },
    { severity: 'note' },
  ])

  const torn = Buffer.from(good)
  torn.fill(0, (frames.at(-2)! + last) >> 1)
  fs.writeFileSync(journal, torn)
  const cut = await found()
  t.equal(cut.code, 0, JSON.stringify(cut.own))
  t.match(cut.journal, [
    { severity: 'note', what: /was cut off/ },
    { severity: 'note', what: /not yet sealed/ },
  ])

  fs.writeFileSync(journal, good)
  const { server, ...run } = await startProcess(t, dataDir)
  t.equal((await server.get('/api/health')).status, 200)
  run.child.kill('SIGTERM')
  await run.exit
})

t.test('finds nothing beside a server with writes, and after it', async t => {
  const server: Server = await startServer(t)
  const organizations = [await server.organization('Ann'), await server.organization('Otto')]
  for (const { key } of organizations) await server.project(key, 'web')
  let writing = true
  let written = 0
  const write = async (writer: number) => {
    const { key } = organizations[writer % 2]!
    for (let n = 0; writing; n++) {
      const path = `/api/projects/web/bundles/${n % 3 ? 'en' : 'de'}/n${writer % 7}`
      if (n % 10 === 9) await server.call('DELETE', path, { key })
      else await server.put(path, key, { [`k${n % 50}`]: `text ${n}` })
      written++
    }
  }
  const writers = Array.from({ length: 8 }, (_, writer) => write(writer))
  for (let round = 0; round < 4; round++) {
    const before = written
    const result = await verify(t, server.dataDir)
    isGood(t, result, `round ${round}`)
    t.equal(result.json.serverRunning, true)
    t.match(result.json.remarks, [/written in the last second was not looked at/])
    t.ok(written > before, 'they wrote meanwhile')
  }
  writing = false
  await Promise.all(writers)
  isGood(t, await verify(t, server.dataDir), 'at rest')

  const work = server.repository(organizations[0]!.id)
  await server.put('/api/projects/web/bundles/en/n0', organizations[0]!.key, { here: 'for certain' })
  await server.commits(organizations[0]!.id)
  fs.writeFileSync(join(work, 'web/locales/en/n0.json'), '{ "broken": ')
  await pause(1500)
  const broken = await verify(t, server.dataDir)
  t.equal(broken.code, 1)
  t.match(broken.json.findings, [{ severity: 'warning', path: 'web/locales/en/n0.json', what: /breaks the rules/ }])
  execFileSync('git', ['-c', 'safe.directory=*', '-C', work, 'checkout', 'HEAD', '--', 'web/locales/en/n0.json'])
  await server.close()
  isGood(t, await verify(t, server.dataDir), 'stopped')
})
