import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isLocked, lockDataFolder } from '../../src/store/lock.ts'

const LOCK = join(import.meta.dirname, '../../src/store/lock.ts')

/** Another process that acquires the lock, says so and holds it. */
async function holder(directory: string) {
  const program = `const { lockDataFolder } = await import(${JSON.stringify(LOCK)})
    // Collected as garbage, it would be given back.
    globalThis.lock = lockDataFolder(${JSON.stringify(directory)}); console.log('held'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

t.test('a folder is locked once', async t => {
  const directory = t.testdir()
  const lock = lockDataFolder(directory)
  t.throws(() => lockDataFolder(directory), { code: 'unavailable', message: new RegExp(directory) })
  lock.release()
  const again = lockDataFolder(directory)
  again.release()
})

t.test('two folders are two locks', async t => {
  const directory = t.testdir({ a: {}, b: {} })
  const locks = ['a', 'b'].map(name => lockDataFolder(join(directory, name)))
  for (const lock of locks) lock.release()
})

t.test('another process is refused until the holder dies, however it dies', async t => {
  const directory = t.testdir()
  const child = await holder(directory)
  t.throws(() => lockDataFolder(directory), { code: 'unavailable' })
  child.kill('SIGSTOP')
  t.throws(() => lockDataFolder(directory), { code: 'unavailable' }, 'a stalled holder still has it')
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  lockDataFolder(directory).release()
})

t.test('a folder that is not there is an error of its own', async t => {
  t.throws(() => lockDataFolder(join(t.testdir(), 'nowhere')), /directory/)
})

t.test('whether it is held can be asked without locking or creating it', async t => {
  const directory = t.testdir()
  t.equal(isLocked(directory), false)
  t.strictSame(readdirSync(directory), [])
  const lock = lockDataFolder(directory)
  t.equal(isLocked(directory), true)
  t.equal(isLocked(directory), true, 'asking does not release it')
  lock.release()
  t.equal(isLocked(directory), false)
  const child = await holder(directory)
  t.equal(isLocked(directory), true)
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  t.equal(isLocked(directory), false)
})
