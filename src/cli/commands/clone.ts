/** `parlance clone`: clones the organization's repository. The token is on no command line and not in `.git/config`. */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { whoami } from '../api/answers.ts'
import type { Context, Run } from '../context.ts'
import { Problem } from '../problem.ts'

interface Options {
  print?: boolean
}

/** git's folder for `…/translations.git`. */
const FOLDER = 'translations'

/**
 * With `--json`: `{ url, folder, command }`, the folder absolute, `command` a line for a POSIX shell with
 * `$PARLANCE_TOKEN` as the token.
 */
export const run: Run<Options> = async (context, { print }, [operand = FOLDER]) => {
  const { cwd, token } = await context.settings()
  const api = await context.api()
  const url = new URL('api/translations.git', api.url).href
  const folder = resolve(cwd, operand)
  const command = [...assignments(url, '"x-api-key: $PARLANCE_TOKEN"'), 'git', 'clone', url, quoted(operand)].join(' ')
  const document = { url, folder, command }
  if (print) return context.print(document, () => command)
  // git accepts any answer as an empty repository, and asks for a user name after a refusal.
  await api.ask('GET', 'whoami', whoami, { accept: [200, 404] })
  await clone(context, { url, folder, token: token.value!, cwd })
  await context.print(document, () =>
    [
      `Cloned into ${folder}.`,
      'A later fetch of git asks for a password: give any user name and the token. A credential helper stores it.',
    ].join('\n'),
  )
}

/**
 * Settings of git by environment variables: other users of the machine can read a command line.
 */
function assignments(url: string, header: string): string[] {
  return [
    'GIT_CONFIG_COUNT=2',
    `GIT_CONFIG_KEY_0=http.${url}.extraHeader`,
    `GIT_CONFIG_VALUE_0=${header}`,
    // A redirect would get the token too. Settings with an address win over the user's.
    `GIT_CONFIG_KEY_1=http.${url}.followRedirects`,
    'GIT_CONFIG_VALUE_1=false',
  ]
}

/** git prints its own progress. @throws Problem */
function clone(
  { env, stop }: Context,
  { url, folder, token, cwd }: { url: string; folder: string; token: string; cwd: string },
): Promise<void> {
  const settings = assignments(url, `x-api-key: ${token}`).map(line => /^([^=]*)=(.*)$/s.exec(line)!.slice(1))
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['clone', '--', url, folder], {
      cwd,
      // A refused token is an error, not a question.
      env: { ...env, ...Object.fromEntries(settings), GIT_TERMINAL_PROMPT: '0' },
      stdio: ['ignore', 'ignore', 'inherit'],
      signal: stop,
    })
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') return reject(stop.aborted ? stop.reason : error)
      reject(
        new Problem('git is not installed, or not found by PATH.', {
          hint: 'Install it, or download `parlance export`.',
        }),
      )
    })
    child.on('close', code => {
      if (code === 0) resolve()
      else
        reject(
          new Problem(`git could not clone ${url}.`, {
            hint: 'See the output of git above. `parlance whoami` checks the token. A token that is limited to some projects may not clone.',
          }),
        )
    })
  })
}

/** A word for a POSIX shell. */
const quoted = (word: string): string => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
