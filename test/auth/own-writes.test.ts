import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { openDatabase } from '../../src/auth/database.ts'
import { OwnWrites } from '../../src/auth/own-writes.ts'
import { openScene } from '../http/server.ts'

t.test("a write of ours is no part of somebody's transaction, and comes before the next one", async t => {
  const database = openDatabase(t.testdir())
  t.teardown(() => database.close())
  database.exec('create table words (word text)')
  const own = new OwnWrites(database)
  const words = () => database.prepare('select word from words order by rowid').pluck().all()
  const put = (word: string) => own.run(() => database.prepare('insert into words values (?)').run(word))
  await put('at once')
  database.exec("begin; insert into words values ('theirs')")
  const written = put('ours')
  let next = false
  const begun = own.through().then(() => {
    next = true
  })
  await pause(30)
  t.same(words(), ['at once', 'theirs'], 'it waits')
  t.notOk(next, 'and so does whoever would begin another one')
  database.exec('rollback')
  await written
  await begun
  t.same(words(), ['at once', 'ours'])
  await t.rejects(
    own.run(() => {
      throw new Error('of the write')
    }),
    /of the write/,
  )
  await own.through()
})

t.test('tokens made and revoked while people sign up are made and revoked', async t => {
  const { server, acme } = await openScene(t)
  let going = true
  const signingUp = (async () => {
    for (let n = 0; going; n++) await server.signUp(`New${n}`)
  })()
  for (let n = 0; n < 3; n++) {
    const { id, key } = await server.mint(acme.owner, `token ${n}`)
    t.equal((await server.get('/api/projects', key)).status, 200)
    t.equal((await server.call('DELETE', `/api/tokens/${id}`, { as: acme.owner })).status, 204)
    t.equal((await server.get('/api/projects', key)).status, 401)
  }
  going = false
  await signingUp
})
