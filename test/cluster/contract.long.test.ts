/**
 * The contract of one server, held against two nodes that are asked in turn: each answer rests on what the other did.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { noPostgres, startPostgres } from './postgres.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What looks into the one server's own folder, memory or counts is not among them. */
const FILES = [
  'contract/keys',
  'contract/reads',
  'contract/tenancy',
  'http/approve',
  'http/changes',
  'http/comments',
  'http/confirm',
  'http/decide',
  'http/diff',
  'http/dismiss',
  'http/edits',
  'http/glossary',
  'http/inbox',
  'http/notes',
  'http/push',
  'http/review',
  'http/rights',
  'http/suggestions',
  'http/withdrawn-approvals',
]

/** Runs a program of tests. @returns what failed; nothing when all passed */
function failuresOf(file: string, postgres: string): Promise<string> {
  const argv = ['./test/property-seed.ts', './test/test-folder.ts'].flatMap(hook => ['--import', hook])
  const child = spawn(process.execPath, [...argv, `test/${file}.test.ts`], {
    cwd: ROOT,
    env: { ...process.env, BEHIND: postgres, TAP: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part))
  const failed = () => said.match(/^ *not ok .*$/gm)?.join('\n') ?? said.slice(-2000)
  return new Promise(resolve => child.on('close', code => resolve(code === 0 ? '' : failed())))
}

t.test('two nodes, asked in turn', { skip: noPostgres() }, async t => {
  // Nothing here is about power failures.
  const postgres = await startPostgres(t, 'fsync=off', 'max_connections=200')
  for (const file of FILES) t.equal(await failuresOf(file, await postgres.database()), '', file)
})
