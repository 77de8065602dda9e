/** nginx as docs/cluster-nginx.conf has it, in front of nodes. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { eventually } from '../../eventually.ts'
import { freePort } from '../../free-port.ts'
import { nginxWith } from '../nginx.ts'

const FILE = join(import.meta.dirname, '../../../docs/cluster-nginx.conf')

/** Why what needs nginx is left out; false where it runs. */
export const noNginx = spawnSync('nginx', ['-v']).status === 0 ? false : 'there is no nginx on this machine'

/** Starts it; it ends with the test. @param nodes three of them, `host:port` @returns its port on 127.0.0.1 */
export async function startNginx(t: Test, nodes: readonly string[]): Promise<number> {
  // `testdir` would empty the folders of what the test has started before.
  const folder = join(t.testdirName, 'nginx')
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  let site = readFileSync(FILE, 'utf8').replace('listen 80', `listen 127.0.0.1:${port}`)
  for (const [at, where] of nodes.entries()) site = site.replace(`node${at + 1}:3000`, where)
  const [program, ...argv] = nginxWith(site, folder)
  const nginx = spawn(program, argv, { stdio: 'ignore' })
  t.teardown(() => nginx.kill('SIGTERM'))
  const listens = () =>
    new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.on('connect', () => socket.destroy())
      socket.on('error', () => resolve(false))
    })
  if (!(await eventually(listens))) throw new Error('nginx does not listen')
  return port
}
