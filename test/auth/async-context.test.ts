import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { inContext } from '../../src/auth/async-context.ts'

t.test('after a call of better-auth, promises cost what they did before', async t => {
  const program = join(import.meta.dirname, 'promises-watched.ts')
  const told = execFileSync(process.execPath, [program, t.testdir()], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  t.strictSame(JSON.parse(told), {
    status: 200,
    before: false,
    after: false,
    emails: ['ann@example.com', 'ann@example.com', 'ann@example.com'],
    atLast: false,
  })
})

t.test('what a call comes to is passed on', async t => {
  t.equal(await inContext(async () => 'answer'), 'answer')
  await t.rejects(
    inContext(async () => {
      throw new Error('refused')
    }),
    { message: 'refused' },
  )
})
