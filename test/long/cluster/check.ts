/** Checks that the nodes of a cluster at rest agree with each other and with their answers. */
import { git } from '../../contract/server.ts'
import { eventually } from '../../eventually.ts'
import { type Clients, PROJECT } from './clients.ts'
import type { ClusterNode } from './nodes.ts'

/** What is wrong; nothing when all is right. */
export async function disagreements(nodes: readonly ClusterNode[], clients: Clients): Promise<string[]> {
  const { id, key } = clients.organization
  const complaints = [...clients.surprises]
  // A node without requests may lag behind.
  await Promise.all(nodes.map(({ server }) => server.must('GET', PROJECT, { key })))
  await Promise.all(nodes.map(({ server }) => server.sealed(id)))
  const heads = () => new Set(nodes.map(node => node.head(id)))
  if (!(await eventually(() => heads().size === 1 && !heads().has(undefined))))
    complaints.push(`heads differ: ${nodes.map(node => `${node.name} ${node.head(id)}`).join(', ')}`)
  for (const node of nodes) {
    const lines = git(node.repository(id), 'log', '--format=%H %ct %s', 'main').trim().split('\n')
    complaints.push(...inHistory(clients, lines).map(what => `${node.name}: ${what}`))
    try {
      git(node.repository(id), 'fsck', '--full', '--strict')
    } catch (error) {
      complaints.push(`${node.name}: git fsck: ${(error as { stderr?: string }).stderr}`)
    }
  }
  return complaints
}

/** What a history lacks of what was acknowledged, or has twice. @param lines newest first: id, time, subject */
function inHistory(clients: Clients, lines: readonly string[]): string[] {
  const complaints: string[] = []
  const ids = new Set<string>()
  const writes = new Map<string, number>()
  const counted = new Set<string>()
  let later = Number.POSITIVE_INFINITY
  for (const line of lines) {
    const [, id = '', seconds = '', subject = ''] = /^(\S+) (\d+) (.*)$/.exec(line) ?? []
    ids.add(id)
    if (Number(seconds) > later) complaints.push(`${id} is younger than what came after it`)
    later = Number(seconds)
    if (counted.has(subject)) complaints.push(`${id} is not the only one that says: ${subject}`)
    if (/ counts /.test(subject)) counted.add(subject)
    const [, name = ''] = /\b(w\d+)\b/.exec(subject) ?? []
    writes.set(name, (writes.get(name) ?? 0) + 1)
  }
  for (const { name, acknowledged, revisions } of clients.writers) {
    const found = writes.get(name) ?? 0
    if (found !== acknowledged) complaints.push(`${name} has ${found} commits, ${acknowledged} were acknowledged`)
    for (const revision of revisions) {
      if (!ids.has(revision)) complaints.push(`${name} received ${revision}, which is not in the history`)
    }
  }
  return complaints
}
