/** The PostgreSQL that other tests start. */
import pg from 'pg'
import t from 'tap'
import { noPostgres, startPostgres } from './postgres.ts'

t.test('a database outlives a crash of its server', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t)
  const [one, other] = [await postgres.database(), await postgres.database()]
  t.not(one, other)
  const ask = async (sql: string) => {
    const client = new pg.Client(one)
    await client.connect()
    const { rows } = await client.query(sql)
    await client.end()
    return rows
  }
  await ask('create table kept (id text)')
  await ask("insert into kept values ('a')")
  await postgres.kill()
  await t.rejects(ask('select 1'))
  await postgres.start()
  t.strictSame(await ask('select id from kept'), [{ id: 'a' }])
})
