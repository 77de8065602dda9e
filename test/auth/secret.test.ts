import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadSecret } from '../../src/auth/secret.ts'
import { newFolder } from '../new-folder.ts'

t.test('creates the secret once, for its owner alone', async t => {
  const dataDir = t.testdir()
  const secret = loadSecret(dataDir)
  t.match(secret, /^[\w-]{43}$/)
  t.equal(statSync(join(dataDir, 'secret')).mode & 0o777, 0o600)
  t.equal(loadSecret(dataDir), secret)
  t.not(loadSecret(newFolder(t)), secret)
})

t.test('an operator may write one', async t => {
  const dataDir = t.testdir({ secret: `${'s'.repeat(40)}\n` })
  t.equal(loadSecret(dataDir), 's'.repeat(40))
})

t.test('what a crash left half written is no secret', async t => {
  const dataDir = t.testdir({ secret: '' })
  t.throws(() => loadSecret(dataDir), { code: 'unavailable', message: /secret is shorter than 32|shorter than 32/ })
  writeFileSync(join(dataDir, 'secret'), 'short')
  t.throws(() => loadSecret(dataDir), { code: 'unavailable' })
  t.equal(readFileSync(join(dataDir, 'secret'), 'utf8'), 'short', 'left as it is')
})
