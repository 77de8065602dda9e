/** What the commands ask, answered in a pseudo-terminal as a person would. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bundled } from '../bundled.ts'
import { startParlance } from './command.ts'
import { CTRL_C, ENTER, inTerminal } from './pty.ts'

const program = bundled(join(import.meta.dirname, '../../src/cli/main.ts'))

t.test('login asks for the address and the token, and shows no token', async t => {
  const { server, tokens } = await startParlance(t)
  const home = join(t.testdir(), 'home')
  mkdirSync(home)
  const seen = inTerminal(t, program, ['login'], { cwd: home, env: { HOME: home } })
  await seen.until(/Which server\?/)
  seen.press(`localhost${ENTER}`)
  await seen.until(/must be the address of a server/)
  seen.press(`${'\u007f'.repeat(9)}${server.base}${ENTER}`)
  await seen.until(/token/)
  seen.press(`${tokens.write}${ENTER}`)
  await seen.until(/works and is kept in/)
  t.equal(await seen.ended, 0)
  t.notMatch(seen.text(), tokens.write, 'a secret is not printed')

  await t.test('Ctrl-C ends it, and keeps nothing', async t => {
    const other = join(home, 'other')
    mkdirSync(other)
    const seen = inTerminal(t, program, ['login', '--url', server.base], {
      cwd: other,
      env: { HOME: other },
      columns: 40,
    })
    await seen.until(/token/)
    seen.press(CTRL_C)
    t.equal(await seen.ended, 1)
    t.notOk(existsSync(join(other, '.config')))
    t.match(seen.text(), /Cancelled\.\n$/)
  })
})
