/** An app in a git repository. */
import { execFileSync } from 'node:child_process'
import type { Checkout } from '../checkout.ts'

/** With texts at `locales/{{language}}/{{namespace}}.json`. */
export const CONFIG = { 'i18next.config.js': "module.exports = { locales: ['en', 'de'], extract: { input: [] } }\n" }

export const git = (app: Checkout, words: string, cwd = app.folder): string =>
  execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...words.split(' ')], {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
  })

export function commit(app: Checkout): void {
  git(app, 'add -A')
  git(app, 'commit -qm texts')
}
