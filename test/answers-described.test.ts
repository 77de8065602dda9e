/** A test file fails when it receives an answer that the OpenAPI document does not describe. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'

const { dirname } = import.meta
/** By itself, not as a part of the tests that run now. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^_?TAP/.test(name)))
/** Milliseconds. */
const LONGEST = 120_000

t.test('fails a test file that receives an undescribed answer', async t => {
  const imports = ['test-folder.ts', 'answers-described.ts'].map(name => `--import=${join(dirname, name)}`)
  const args = [...imports, join(dirname, 'undescribed-answers.ts')]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env, timeout: LONGEST })
  const printed = stdout + stderr
  t.match(stdout, /^ok 1 - passes with undescribed answers/m, printed)
  t.equal(status, 1)
  const told = [...printed.matchAll(/GET \/api\/projects\?(\S*) answered (.*)/g)].map(([, query, fault]) => [
    query,
    fault,
  ])
  t.match(told, [
    ['status', '418: the status 418 is not described'],
    ['length', '200: the header etag is described as required, and missing'],
    ['length', '200: the header cache-control is described as required, and missing'],
    ['header', '200: the header x-new is not described'],
    ['shape', /^200: body\/projects\/0 must have required property 'slug'/],
    ...Array(3).fill(['shape', /^200: body/]),
    ['plain', '200: the header x-repeated is not described'],
  ])
  t.equal(told.length, 9)
})
