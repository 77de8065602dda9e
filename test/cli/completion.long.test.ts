/** Completion by fish itself, where it is installed. */
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { build } from '../bundled.ts'
import { main } from './command.ts'

const lacks = (shell: string) => spawnSync(shell, ['-c', 'true']).status !== 0 && `there is no ${shell}`

/** A home whose PATH has the command. */
function home(t: Test): { cwd: string; env: Record<string, string> } {
  build()
  const cwd = t.testdir({ bin: {} })
  const file = join(cwd, 'bin/parlance')
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
  chmodSync(file, 0o755)
  return { cwd, env: { PATH: `${cwd}/bin:${process.env.PATH}`, HOME: cwd, TERM: 'xterm', LC_ALL: 'C.UTF-8' } }
}

t.test('fish', { skip: lacks('fish') }, async t => {
  const { cwd, env } = home(t)
  const offered = (line: string) => {
    const script = `parlance completion fish | source; complete -C ${JSON.stringify(line)}`
    const { stdout } = spawnSync('fish', ['--no-config', '-c', script], { cwd, env, encoding: 'utf8' })
    return stdout.split('\n').map(row => row.split('\t')[0])
  }
  t.match(offered('parlance rel'), ['release'])
  t.match(offered('parlance release '), ['create', 'list'])
  t.match(offered('parlance pull --prefer '), ['theirs', 'yours'])
  t.ok(offered('parlance pull --').includes('--missing-only'))
})
