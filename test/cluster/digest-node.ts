/** A node as a process of its own, which looks for digests at short intervals. */
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'

const config = readConfig(process.env)
const app = await buildApp(config, { mailDelays: { every: 30, retry: [20, 50] } })
await app.listen({ host: '127.0.0.1', port: config.port })
process.stdout.write('listening\n')
