/** The password of the database and the secret between nodes of a cluster do not leak. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { noPostgres, startPostgres } from '../cluster/postgres.ts'
import { launch, start } from '../contract/process.ts'
import { dataFolder, eventually } from '../contract/server.ts'
import { freePort } from '../free-port.ts'
import { noGit } from '../http/git-client.ts'
import { random } from '../random.ts'
import { noProcesses } from '../store/git-processes.ts'
import { filesIn, objectsOf, Secrets, watchArguments } from './secrets.ts'

const PASSWORD = 'cluster/password-nobody-guesses'

t.test(
  'leaks no secret of a cluster into logs, processes or backups',
  { skip: noPostgres() || noProcesses || noGit },
  async t => {
    const { keep, found } = new Secrets()
    keep('the password of the database', PASSWORD)
    const postgres = await startPostgres(t)
    const database = await postgres.database()
    const withPassword = (url: string) => url.replace('postgres@', `postgres:${encodeURIComponent(PASSWORD)}@`)
    const [dataDir, port] = [dataFolder(t), String(await freePort())]
    const backups = join(dataDir, '../backups')
    const talkative = { LOG_LEVEL: 'trace', LOG_REQUESTS: 'all', PORT: port, NODE_URL: `http://127.0.0.1:${port}` }

    const refused: string[] = []
    for (const wrong of [
      database.replace(/\d+\/.*/, '9/none'),
      `${database}x`,
      database.replace('postgres:', 'mysql:'),
    ]) {
      const { exit, output } = launch(dataDir, { ...talkative, CLUSTER: withPassword(wrong) })
      t.not((await exit).code, 0)
      refused.push(output())
    }
    t.match(refused.join('\n'), /CLUSTER.*(ECONNREFUSED|does not exist|must be)/)
    t.strictSame(found(refused.join('\n')), [], 'the output of a refused start')

    const settings = { ...talkative, CLUSTER: withPassword(database), BACKUP_REMOTE: `${backups}/{organization}.git` }
    const { server, child, output } = await start(t, dataDir, settings)
    const client = new pg.Client(database)
    await client.connect()
    const { rows } = await client.query(`select value from cluster_setting where name = 'nodes'`)
    keep('the secret between nodes', rows[0].value)
    const { saw, stop } = watchArguments(child.pid!)
    const acme = await server.organization()
    const web = await server.project(acme.key, 'web')
    const asked = async () => [
      await server.put(`${web}/bundles/en/common`, acme.key, { a: `${random()}` }),
      await server.get(`${web}/bundles/en/common`, acme.key),
      await server.signIn(acme.owner.user.email, 'wrong'),
      await server.call('GET', '/api/health', { as: acme.owner }),
      await server.get('/metrics'),
      await server.call('POST', '/cluster/heard', { body: 'x 1', headers: { authorization: 'Bearer wrong' } }),
    ]
    const answers = await asked()
    t.ok(await eventually(() => saw(/push/)), 'git pushes the backup')
    await client.end()
    await postgres.kill()
    t.ok(await eventually(async () => (await asked())[0]!.status === 503))
    answers.push(...(await asked()))
    const programs = await stop()
    await postgres.start()
    await server.close()

    t.match(output(), /the database of the cluster was lost/)
    t.strictSame(found(output()), [], 'the log')
    t.strictSame(found(programs.join('\n')), [], 'arguments of processes, and environments of children')
    t.strictSame(found(JSON.stringify(answers.map(({ headers, text }) => [headers, text]))), [], 'answers')
    for (const path of [...filesIn(dataDir), ...filesIn(backups)]) t.strictSame(found(readFileSync(path)), [], path)
    const accounts = objectsOf(join(backups, 'parlance-accounts.git'))
    t.ok(accounts.includes(acme.owner.user.email))
    t.strictSame(found(accounts), [], 'the backup of the accounts')
  },
)
