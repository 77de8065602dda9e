/** Completion by the shells themselves, where they are installed. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { build } from '../bundled.ts'
import { main } from './command.ts'

const lacks = (shell: string) => spawnSync(shell, ['-c', 'true']).status !== 0 && `there is no ${shell}`

/** A home with the CLI in its PATH. */
function home(t: Test): { cwd: string; env: Record<string, string> } {
  build()
  const cwd = t.testdir({ bin: {} })
  const file = join(cwd, 'bin/parlance')
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
  chmodSync(file, 0o755)
  return { cwd, env: { PATH: `${cwd}/bin:${process.env.PATH}`, HOME: cwd, TERM: 'xterm', LC_ALL: 'C.UTF-8' } }
}

t.test('bash', { skip: lacks('bash') }, t => {
  const { cwd, env } = home(t)
  const offered = (...words: string[]) => {
    const script = `source <(parlance completion bash)
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      __parlance_complete
      printf '%s\\n' "\${COMPREPLY[@]}"`
    return spawnSync('bash', ['-c', script, '-', 'parlance', ...words], { cwd, env, encoding: 'utf8' }).stdout.split(
      '\n',
    )
  }
  t.match(offered('rel'), ['release'])
  t.match(offered('pull', '--prefer', ''), ['yours', 'theirs'])
  t.match(offered('push', '--message', '"$(touch run)"', '--dry'), ['--dry-run'])
  t.notOk(existsSync(join(cwd, 'run')), 'nothing of the line is run')
  t.end()
})

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

t.test('zsh', { skip: lacks('zsh') }, async t => {
  const { cwd, env } = home(t)
  // What is typed is echoed: the words that are waited for stand in no line that goes in.
  const script = `# a shell in a shell
zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell 'autoload -U compinit; compinit -u -D; source <(parlance completion zsh); print begu""n'
    zpty -r shell out '*begun*'
    complete() { zpty -n -w shell $'\\C-u'$1$'\\t'; zpty -r shell out "*$2*"; print -r -- $2 }
    complete 'parlance rel' 'parlance release'
    complete 'parlance release c' 'release create'
    complete 'parlance pull --prefer t' 'prefer theirs'
    complete 'parlance pull --missing-o' '--missing-only'`
  const { stdout, signal } = spawnSync('zsh', ['-f', '-c', script], { cwd, env, encoding: 'utf8', timeout: 60_000 })
  t.strictSame(stdout.trim().split('\n'), ['parlance release', 'release create', 'prefer theirs', '--missing-only'])
  t.equal(signal, null)
})

t.test('PowerShell runs the script', { skip: lacks('pwsh') }, async t => {
  const { cwd, env } = home(t)
  const script = 'parlance completion powershell | Out-String | Invoke-Expression; "taken"'
  const { stdout, stderr } = spawnSync('pwsh', ['-NoProfile', '-Command', script], { cwd, env, encoding: 'utf8' })
  t.strictSame([stdout.trim(), stderr], ['taken', ''])
})
