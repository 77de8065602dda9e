/** What a terminal gets that a pipe does not: colours, questions, progress. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { bundled } from '../bundled.ts'
import { newFolder } from '../new-folder.ts'
import { parlance as piped, startParlance } from './command.ts'
import { inTerminal } from './pty.ts'

const program = bundled(join(import.meta.dirname, '../../src/cli/main.ts'))
const parlance = await startParlance(t)
const { server, acme, env } = parlance
const project = await server.project(acme.key, 'web')
await server.put(`${project}/bundles/en/common`, acme.key, { save: 'Save' })
const cwd = newFolder(t, {
  'parlance.config.json': JSON.stringify({ project: 'web', output: 'locales/{{language}}/{{namespace}}.json' }),
  locales: { en: { 'common.json': '{ "save": "Save" }' } },
})

t.test('colours, as no-color.org and the documents of Node have them', async t => {
  // With FORCE_COLOR Node's own documents have NO_COLOR ignored, and Node says so on standard error.
  const rows: [what: string, variables: Record<string, string>, inTerminals: boolean, inPipes: boolean][] = [
    ['neither', {}, true, false],
    ['NO_COLOR', { NO_COLOR: '1' }, false, false],
    ['NO_COLOR with any value', { NO_COLOR: '0' }, false, false],
    ['NO_COLOR that is empty', { NO_COLOR: '' }, true, false],
    ['FORCE_COLOR', { FORCE_COLOR: '1' }, true, true],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, false, false],
    ['both', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, true],
    ['a terminal without colours', { TERM: 'dumb' }, false, false],
  ]
  for (const [what, variables, inTerminals, inPipes] of rows) {
    const around = { ...env, HOME: cwd, ...variables }
    const seen = inTerminal(t, program, ['status'], { cwd, env: around })
    t.equal(await seen.ended, 0, seen.text())
    t.match(seen.text(), 'source language en')
    const { out, err } = await piped(t, cwd, ['status'], around)
    t.strictSame([/\x1b\[\d+m/.test(seen.raw()), out.includes('\x1b')], [inTerminals, inPipes], what)
    t.equal(/NO_COLOR.*ignored/.test(err), what === 'both', `${what}: ${err}`)
  }
})

t.test('asks nothing at a terminal with CI or --json', async t => {
  const questions: [words: string[], hint: RegExp][] = [
    [['login'], /Give --url/],
    [['undo', '0123456'], /--yes/],
    [['init', '-C', 'locales'], /--output/],
  ]
  for (const [words, hint] of questions) {
    for (const [flags, variables] of [
      [[], { CI: 'true' }],
      [['--json'], {}],
    ] as const) {
      const url = words[0] === 'login' ? {} : env
      const seen = inTerminal(t, program, [...words, ...flags], { cwd, env: { HOME: cwd, ...url, ...variables } })
      t.equal(await seen.ended, 2, `${words} ${flags}`)
      t.match(seen.text(), hint)
      t.notMatch(seen.raw(), '\x1b[?25l', 'no question was drawn')
      if (flags.length > 0) t.match(JSON.parse(seen.text()), { error: String }, 'one document')
    }
  }
  const asked = inTerminal(t, program, ['login'], { cwd, env: { HOME: cwd, CI: 'false' } })
  await asked.until(/Which server\?/)
})

t.test('progress goes to standard error, where that is a terminal', async t => {
  const slow = createServer(async (request, response) => {
    await pause(600)
    ask(new URL(request.url!, server.base), { method: request.method!, headers: request.headers }, answer =>
      answer.pipe(response.writeHead(answer.statusCode!, answer.headers)),
    ).end()
  })
  slow.listen(0, '127.0.0.1')
  await once(slow, 'listening')
  t.teardown(() => slow.close())
  const PARLANCE_URL = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
  const FRAME = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Pulling/
  const pull = async (to: string, variables: Record<string, string> = {}) => {
    const line = `'${process.execPath}' '${program}' pull --check ${to}`
    const seen = inTerminal(t, '-c', [line], {
      cwd,
      env: { ...env, HOME: cwd, PARLANCE_URL, ...variables },
      by: 'bash',
    })
    t.equal(await seen.ended, 0, seen.text())
    return seen.raw()
  }
  t.match(await pull('>out.txt'), FRAME, 'standard output is a file')
  t.equal(readFileSync(join(cwd, 'out.txt'), 'utf8'), 'Up to date.\n', 'which has the result alone')
  t.notMatch(await pull('2>err.txt'), FRAME, 'standard error is a file')
  t.equal(readFileSync(join(cwd, 'err.txt'), 'utf8'), '', 'without a moving line')
  t.notMatch(await pull('', { CI: '1' }), FRAME, 'without a reader')
  t.notMatch(await pull('--json'), FRAME, 'a program reads')
  t.match(await pull(''), /Pulling[\s\S]*\r\x1b\[KUp to date\./, 'its line is gone before the result comes')
})
