/** Run by async-context.test.ts, away from tap, which watches promises itself: tells whether Node watches every promise, before, while and after better-auth answers. */
import { executionAsyncId } from 'node:async_hooks'
import { Auth } from '../../src/auth/auth.ts'

/** Only a promise that is watched has an id of its own. */
async function watched(): Promise<boolean> {
  await undefined
  return executionAsyncId() !== 0
}

const [dataDir = ''] = process.argv.slice(2)
const auth = await Auth.open({ dataDir, signUp: 'open', rateLimit: false })
const account = { name: 'Ann', email: 'ann@example.com', password: 'choose-a-long-one' }
const headers = { 'content-type': 'application/json', host: 'localhost' }
const url = 'http://localhost/api/auth'
const signUp = () =>
  auth.handle(
    new Request(`${url}/sign-up/email`, { method: 'POST', headers, body: JSON.stringify(account) }),
    '127.0.0.1',
    false,
  )

const before = await watched()
const answer = await signUp()
const [cookie = ''] = answer.headers.getSetCookie().map(line => line.split(';')[0]!)
const after = await watched()
const sessions = Array.from({ length: 3 }, () =>
  auth
    .handle(new Request(`${url}/get-session`, { headers: { cookie, host: 'localhost' } }), '127.0.0.1', false)
    .then(answer => answer.json() as Promise<{ user: { email: string } }>),
)
const emails = (await Promise.all(sessions)).map(({ user }) => user.email)
console.log(JSON.stringify({ status: answer.status, before, after, emails, atLast: await watched() }))
auth.close()
