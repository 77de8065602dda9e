/** What the tests of restoring share: a server that is backed up, filled, and compared with what comes back. */
import fs from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { eventually, type Organization, type Server, startServer } from '../../contract/server.ts'
import { git } from '../git-cli.ts'

/** Intervals in milliseconds, so that tests wait little for a backup. */
export const QUICK = { settle: 30, latest: 200, firstRetry: 50, lastRetry: 200, accounts: 30 }

/** Starts a server that is backed up; `setting` says where to, and `env` is that for the next server. */
export async function startFirst(t: Test) {
  const root = t.testdir()
  const remote = join(root, 'remote')
  const setting = join(remote, '{organization}.git')
  const env = { BACKUP_REMOTE: setting }
  const first = await startServer(t, { dataDir: join(root, 'first'), env, backupDelays: QUICK })
  return { root, remote, setting, env, first }
}

/** Waits until the remote has the organization's last commit, and an accounts' backup that knows of it. */
export async function backedUp(server: Server, remote: string, ...ids: string[]): Promise<void> {
  const main = (gitDir: string) => fs.readFileSync(join(gitDir, 'refs/heads/main'), 'utf8')
  // From the files, as git would need more processor time at each look than the rest of the tests.
  const arrived = (id: string) => main(join(remote, `${id}.git`)) === main(join(server.repository(id), '.git'))
  const is = async () => {
    try {
      if (!ids.every(arrived)) return false
      const manifest = JSON.parse(git(join(remote, 'parlance-accounts.git'), 'show', 'main:manifest.json'))
      return ids.every(id => manifest.organizations.includes(id) && !manifest.empty.includes(id))
    } catch {
      return false
    }
  }
  if (!(await eventually(is))) throw new Error('nothing was backed up')
}

/** Every read of an app, with its tag. */
export async function everything(server: Server, { key }: Organization): Promise<[string, unknown, string][]> {
  const answers: [string, unknown, string][] = []
  const see = async (path: string) => {
    const reply = await server.get(path, key)
    answers.push([path, reply.headers.etag, reply.text])
    return reply.json
  }
  for (const { slug } of (await see('/api/projects')).projects) {
    const { languages, namespaces } = await see(`/api/projects/${slug}`)
    for (const language of languages) {
      await see(`/api/projects/${slug}/bundles/${language}`)
      for (const namespace of namespaces) await see(`/api/projects/${slug}/bundles/${language}/${namespace}`)
    }
  }
  return answers
}

/** Two projects of an organization, with texts that begin with `text`. */
export async function fill(server: Server, { key }: Organization, text: string): Promise<void> {
  await server.project(key, 'web')
  await server.project(key, 'app', 'de', 'i18next-json-flat')
  for (const language of ['en', 'de', 'pl']) {
    for (const namespace of ['common', 'shop']) {
      const body = { nav: { home: `${text} ${language}` }, item_one: '1', item_other: `${namespace}\r\n` }
      await server.must('PUT', `/api/projects/web/bundles/${language}/${namespace}`, { key, body })
    }
  }
  await server.must('PUT', '/api/projects/app/bundles/de/main', { key, body: { 'a.b': text } })
  await server.must('DELETE', '/api/projects/web/bundles/pl/shop', { key })
}

/** Signs a known user in, in a new session. */
export async function signIn(server: Server, email: string, password: string) {
  const session = await server.signUp('Nobody')
  session.cookies.clear()
  session.keep((await server.signIn(email, password, { origin: server.origin })).headers)
  return session
}
