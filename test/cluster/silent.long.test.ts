/** A connection to the database that falls silent: no caller waits for it for ever. */
import { connect, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { startNode } from './nodes.ts'
import { noPostgres, startPostgres } from './postgres.ts'

t.test('on PostgreSQL behind a line that falls silent', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t)
  const line = await startLine(t, await postgres.database())
  const { log } = await startNode(t, line.url, 'one')
  const entry = (id: string) => ({ id, head: null, frame: Buffer.from(id) })
  await log.append('a', 0, entry('first'))

  await t.test('a turn ends', async t => {
    const turn = await log.turn('a')
    line.fallSilent()
    await turn.release()
    t.pass('though the database never answers')
  })

  await t.test('a turn that cannot begin is refused, and the next begins', async t => {
    await (await log.turn('a')).release()
    line.fallSilent()
    await t.rejects(log.turn('a'), { code: 'unavailable' })
    const turn = await log.turn('a')
    await turn.append(1, entry('second'))
    await turn.release()
  })
})

/** Passes on what is said to a database, until its connections fall silent: those that come later are new ones. */
async function startLine(t: Test, database: string) {
  const target = new URL(database)
  const sockets = new Set<Socket>()
  const silent = new Set<Socket>()
  const server = createServer({ noDelay: true }, client => {
    const to = connect({ host: target.hostname, port: Number(target.port), noDelay: true })
    client.pipe(to).pipe(client)
    for (const [one, other] of [
      [client, to],
      [to, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    // A silent one never closes by itself, and an idle connection of the pool would wait for it.
    for (const socket of [...sockets, ...silent]) socket.destroy()
    server.close()
  })
  const url = new URL(database)
  url.port = String((server.address() as { port: number }).port)
  const fallSilent = () => {
    for (const socket of sockets) silent.add(socket.unpipe().pause())
    sockets.clear()
  }
  return { url: url.href, fallSilent }
}
