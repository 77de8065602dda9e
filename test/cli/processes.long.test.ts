/**
 * Processes that are interrupted or run at once, in one checkout of many files: every file stays whole,
 * nothing is lost on either side, and the next run mends all without a question. `CLI_CUTS=20` is its long form.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, type FSWatcher, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { eventually } from '../contract/server.ts'
import { main, parlance, startCommand, startParlance } from './command.ts'

t.setTimeout(0)

const CUTS = Number(process.env.CLI_CUTS ?? 2)
const SIGNALS = ['SIGKILL', 'SIGINT', 'SIGTERM'] as const
const LANGUAGES = ['en', 'ar', 'de', 'fr', 'pl']
const NAMESPACES = Array.from({ length: 40 }, (_, at) => `n${String(at).padStart(2, '0')}`)
const ALL = LANGUAGES.flatMap(language => NAMESPACES.map(namespace => `${language}/${namespace}`))
const KEYS = Array.from({ length: 30 }, (_, at) => `key${at}`)

const { server, acme, env } = await startParlance(t)

type Texts = Record<string, string>
type Bundles = Record<string, Texts>

/** Each bundle at a time of the server: a text that changes, keys that come and go, and many that stay. */
const stateOf = (time: number): Bundles =>
  Object.fromEntries(
    ALL.map(name => [
      name,
      {
        ...Object.fromEntries(KEYS.map(key => [key, `${name} ${key}`])),
        changes: `${name} at ${time}`,
        [`only${time}`]: name,
      },
    ]),
  )

/** A project of the server, with a checkout of it. */
async function checkout(t: Test, slug: string) {
  const path = await server.project(acme.key, slug)
  const cwd = t.testdir()
  const config = { project: slug, output: 'locales/{{language}}/{{namespace}}.json', languages: LANGUAGES }
  const made = {
    cwd,
    /** Replaces the server's bundles in one commit. */
    async set(bundles: Bundles) {
      const nested: Record<string, Bundles> = {}
      for (const [name, texts] of Object.entries(bundles)) {
        const [language, namespace] = name.split('/') as [string, string]
        nested[language] = { ...nested[language], [namespace]: texts }
      }
      const query = 'prune=true&overwrite=true'
      await server.must('POST', `${path}/push?${query}`, { key: acme.key, body: { bundles: nested } })
    },
    async stored(): Promise<Bundles> {
      const { json } = await server.get(`${path}/export?format=json`, acme.key)
      return Object.fromEntries(
        Object.entries(json as Record<string, Bundles>).flatMap(([language, of]) =>
          Object.entries(of).map(([namespace, texts]) => [`${language}/${namespace}`, texts]),
        ),
      )
    },
    /** Of the commits, newest first. */
    async subjects(): Promise<string[]> {
      const { json } = await server.get(`${path}/history?limit=100`, acme.key)
      return json.revisions.map(({ subject }: { subject: string }) => subject)
    },
    files: (folder = cwd): Bundles =>
      Object.fromEntries(
        ALL.map(name => [name, JSON.parse(readFileSync(join(folder, 'locales', `${name}.json`), 'utf8'))]),
      ),
    write(name: string, texts: Texts, folder = cwd) {
      writeFileSync(join(folder, 'locales', `${name}.json`), `${JSON.stringify(texts, null, 2)}\n`)
    },
    start: (...words: string[]) => startCommand(t, cwd, words, env),
    async run(...words: string[]) {
      const { code, out, err } = await parlance(t, cwd, words, env)
      t.equal(code, 0, `parlance ${words.join(' ')}: ${err}`)
      return out
    },
    /** What no run may leave behind. */
    litter: () =>
      readdirSync(cwd, { recursive: true, encoding: 'utf8' }).filter(name => /\.tmp$/.test(name) && name !== '.home'),
  }
  writeFileSync(join(cwd, 'parlance.config.json'), JSON.stringify(config))
  await made.set(stateOf(0))
  await made.run('pull')
  return made
}

type Checkout = Awaited<ReturnType<typeof checkout>>

/** Resolves after this number of files was written. */
function written({ cwd }: Checkout, count: number): Promise<void> {
  const seen = new Set<string>()
  const watchers: FSWatcher[] = []
  return new Promise<void>(resolve => {
    for (const language of LANGUAGES) {
      const watcher = watch(join(cwd, 'locales', language), (_, name) => {
        if (!name || name.endsWith('.tmp')) return
        seen.add(`${language}/${name}`)
        if (seen.size >= count) resolve()
      })
      watchers.push(watcher)
    }
  }).finally(() => watchers.forEach(watcher => void watcher.close()))
}

t.test('a pull that is cut off', async t => {
  const app = await checkout(t, 'pulled')
  let [time, halves] = [0, 0]
  for (const signal of SIGNALS) {
    for (let cut = 0; cut < CUTS; cut++) {
      const [before, after, later] = [stateOf(time), stateOf(++time), stateOf(++time)]
      await app.set(after)
      const own = { ...app.files()['de/n00'], mine: `Mine ${time}` }
      app.write('de/n00', own)
      const begun = written(app, 1 + Math.floor((ALL.length * cut) / CUTS / 2))
      const pulling = app.start('pull')
      await Promise.race([begun, pulling.ended])
      pulling.child.kill(signal)
      await pulling.ended
      const files = app.files()
      const half = ALL.filter(name => files[name]!.changes === after[name]!.changes)
      if (half.length < ALL.length) halves++
      for (const name of ALL) {
        const { mine, ...texts } = files[name]!
        const whole = texts.changes === after[name]!.changes ? after : before
        if (!t.strictSame(texts, whole[name], `${signal}: ${name} is whole`)) return
      }
      if (signal !== 'SIGKILL' && half.length < ALL.length) {
        t.equal(pulling.child.signalCode, signal, 'a shell tells 130, 143')
        t.match(pulling.err, /^parlance: Stopped before \d+ of 200 files were written\. Written, and whole: /)
        t.ok(pulling.err.length < 1000, 'and not with hundreds of names')
        t.strictSame(app.litter(), [])
      }
      await app.set(later)
      const out = await app.run('pull')
      t.match(out, /files? written/)
      const mended = app.files()
      t.equal(mended['de/n00']!.mine, `Mine ${time}`, 'what was written here stays')
      delete mended['de/n00']!.mine
      t.strictSame(mended, later, `${signal}: the next pull brings all, of a server that moved on`)
      t.strictSame(app.litter(), [], 'and leaves nothing of the one before')
      t.match(await app.run('pull'), 'Up to date.')
      t.match(await app.run('push'), /Pushed: 1 added\./, 'only what is new here is pushed')
      await app.set(later)
      await app.run('pull')
    }
  }
  t.ok(halves > 0, `${halves} of ${SIGNALS.length * CUTS} were in the middle`)
})

t.test('a push that is cut off', async t => {
  const app = await checkout(t, 'pushed')
  let time = 0
  for (const signal of SIGNALS) {
    for (let cut = 0; cut < CUTS; cut++) {
      const before = await app.stored()
      const commits = await app.subjects()
      const texts = ++time
      const wanted = Object.fromEntries(
        ALL.map(name => [
          name,
          name.startsWith('en/')
            ? { ...before[name], changes: `Here ${texts}` }
            : { ...before[name], [`here${texts}`]: name },
        ]),
      )
      for (const name of ALL) app.write(name, wanted[name]!)
      const pushing = app.start('push')
      // The plan is shown before it is sent.
      await once(pushing.child.stdout!, 'data')
      await pause((40 * cut) / CUTS)
      pushing.child.kill(signal)
      await pushing.ended
      t.strictSame(app.files(), wanted, 'the files are as they were')
      const isDone = /^Pushed: /m.test(pushing.out)
      if (signal !== 'SIGKILL') {
        t.equal(
          pushing.child.signalCode,
          isDone ? null : signal,
          'a shell reports 130 or 143, except after a complete run',
        )
        t.strictSame(await app.stored(), isDone ? wanted : before, 'and the output says so')
      }
      await app.run('push')
      t.strictSame(await app.stored(), wanted)
      const added = (await app.subjects()).slice(0, -commits.length)
      t.equal(added.length, 1, `the next push sends what is left, all of it or nothing: ${added.join('; ')}`)
      t.match(await app.run('pull'), 'Up to date.')
      t.match(await app.run('push'), 'Nothing to push.')
    }
  }
})

t.test('several at once', async t => {
  const app = await checkout(t, 'together')
  for (let round = 1; round <= CUTS; round++) {
    const here = app.files()
    const there = await app.stored()
    for (const name of ALL.slice(0, 40)) app.write(name, { ...here[name], mine: `Mine ${round}` })
    await app.set({ ...there, ...Object.fromEntries(ALL.map(name => [name, { ...there[name], theirs: `${round}` }])) })
    const words = [['pull'], ['push'], ['sync'], ['pull'], ['push'], ['status']]
    const ended = await Promise.all(words.map(words => parlance(t, app.cwd, words, env)))
    for (const [at, { code, err }] of ended.entries()) t.equal(code, 0, `${words[at]}: ${err}`)
    await app.run('pull')
    const files = app.files()
    t.strictSame(await app.stored(), files, 'both sides have the same')
    t.match(files['en/n00'], { mine: `Mine ${round}`, theirs: `${round}` })
    t.match(files['pl/n39'], { theirs: `${round}` })
    t.strictSame(app.litter(), [])
  }

  const other = `${app.cwd}-other`
  t.teardown(() => execFileSync('rm', ['-rf', other]))
  mkdirSync(other)
  cpSync(app.cwd, other, { recursive: true })
  const texts = app.files()
  for (const name of ALL) {
    app.write(name, { ...texts[name], ann: name })
    app.write(name, { ...texts[name], ben: name }, other)
  }
  const both = await Promise.all([app.cwd, other].map(cwd => parlance(t, cwd, ['push', '--yes'], env)))
  for (const { code, err } of both) t.equal(code, 0, err)
  const stored = await app.stored()
  for (const name of ALL) if (!t.match(stored[name], { ann: name, ben: name })) break
})

t.test('a shell gets 129, 130 or 143, and ends its loop', async t => {
  const app = await checkout(t, 'shell')
  for (const [time, signal, code] of [
    [1, 'INT', 130],
    [2, 'TERM', 143],
    [3, 'HUP', 129],
  ] as const) {
    await app.set(stateOf(time))
    const begun = written(app, 1)
    const script = `trap 'echo trapped' ${signal}; '${process.execPath}' '${main}' pull & wait $!; kill -${signal} $!; wait $!; echo "exit $?"`
    const shell = spawn('bash', ['-c', script], {
      cwd: app.cwd,
      env: { PATH: process.env.PATH, HOME: app.cwd, ...env },
      stdio: 'pipe',
    })
    t.teardown(() => shell.kill('SIGKILL'))
    let out = ''
    shell.stdout.on('data', data => (out += data))
    await begun
    shell.kill(`SIG${signal}`)
    await once(shell, 'close')
    t.match(out, new RegExp(`trapped\\n[\\s\\S]*exit ${code}\\n`))
  }
})

t.test('a watcher ends with 0 after a signal, as systemd, CI and a shell expect', async t => {
  const app = await checkout(t, 'watched')
  let time = 0
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const pulling = app.start('pull', '--watch')
    const typing = app.start('types', '--watch', '--output', 'i18next.d.ts')
    t.ok(await eventually(() => [pulling, typing].every(({ err }) => err.includes('Waiting'))))
    await app.set(stateOf(++time))
    const lines = (text: string) => text.split('\n').length - 1
    t.ok(await eventually(() => /200 files written/.test(pulling.out) && lines(typing.out) === 2))
    for (const { child } of [pulling, typing]) child.kill(signal)
    t.strictSame([await pulling.ended, await typing.ended], [0, 0], signal)
    t.strictSame([pulling.err, typing.err], Array(2).fill('Waiting for changes; Ctrl-C ends it.\n'))
    t.strictSame(app.files(), stateOf(time))
    t.strictSame(app.litter(), [])
  }
})
