/** Names of people, organizations, projects and tokens are one visible line, in the order of writing. */
import t, { type Test } from 'tap'
import { profileName } from '../../src/auth/oidc.ts'
import { ROUTES } from '../../src/auth/routes.ts'
import { DATA } from '../../src/auth/validate-request.ts'
import { checkProjectName } from '../../src/bundle/names.ts'
import { parseProject } from '../../src/project/project.ts'
import { isError, startServer } from '../contract/server.ts'
import { openAuth } from './open.ts'
import { PASSWORD } from './visitor.ts'

/** Names that are refused, by what is wrong with them. */
const BAD: Record<string, string> = {
  empty: '',
  'a space': ' ',
  'only white space': '\t\n\u00a0\u3000',
  'only what shows nothing': '\u3164\u00ad\u2800',
  'a zero-width joiner alone': '\u200d',
  'a line break inside': 'Ann\nBob',
  'a carriage return inside': 'Ann\rBob',
  'a line separator': 'Ann\u2028Bob',
  'a paragraph separator': 'Ann\u2029Bob',
  'a null': 'Ann\u0000',
  'an escape': '\u001b[31mAnn',
  'a control character of Latin 1': 'Ann\u0085Bob',
  'a lone surrogate': 'Ann\ud800',
  'a right-to-left override': '\u202eAnn',
  'an isolate': 'Ann\u2066Bob\u2069',
  'a right-to-left mark': 'Ann\u200f',
  'an Arabic letter mark': 'Ann\u061cBob',
  'a zero-width space': 'Ann\u200bBob',
  'an invisible separator': 'Ann\u2063Bob',
  'a byte order mark inside': 'Ann\ufeffBob',
  'too long': 'n'.repeat(101),
}
/** Names as people have them. */
const GOOD = [
  'Ann',
  'Zoë de la Cruz',
  '李小龍',
  'محمد',
  'می‌خواهم',
  'עברית',
  '👩‍💻 Team',
  'O’Neill & Søns',
  'n'.repeat(100),
]

const SENTENCE =
  /^The .*(?:name|slug)\b.* must (?:(?:have|be a text of) 1 to 100 characters|have a character that shows|not hold direction marks)|^The .*(?:name|slug)\b.* holds control characters/

/** Has `send` refuse each bad name and accept each good one. */
async function judge(
  t: Test,
  what: string,
  send: (name: string) => Promise<{ status: number; error: string | undefined }>,
) {
  for (const [fault, name] of Object.entries(BAD)) {
    const { status, error } = await send(name)
    t.match([status, error], [400, SENTENCE], `${what}: ${fault}`)
  }
  for (const name of GOOD) t.match(await send(name), { status: /^20[01]$/, error: undefined }, `${what}: ${name}`)
}

t.test('every name and slug under /api/auth is held to it', async t => {
  for (const [route, { body = {} }] of [...Object.entries(ROUTES), ['organization', { body: DATA }] as const]) {
    for (const [member, kind] of Object.entries(body)) {
      // A look whether a slug is free stores nothing.
      if (/^(?:name|slug)\??$/.test(member) && !route.endsWith('check-slug'))
        t.equal(kind, 'name', `${route} ${member}`)
    }
  }
  const { user, visitor } = await openAuth(t)
  const ann = await user('ann')
  await ann.found('acme')
  let count = 0
  const told = async (asked: Promise<{ status: number; body: { error?: string } }>) => {
    const { status, body } = await asked
    return { status, error: body?.error }
  }
  const email = () => `guest${count++}@example.com`
  await judge(t, 'sign-up', name =>
    told(visitor().post('/sign-up/email', { name, email: email(), password: PASSWORD })),
  )
  await judge(t, 'a person', name => told(ann.post('/update-user', { name })))
  await judge(t, 'an organization', name => told(ann.post('/organization/update', { data: { name } })))
  await judge(t, 'a new one', name => told(ann.post('/organization/create', { name, slug: `o${count++}` })))
  await judge(t, 'its slug', slug => told(ann.post('/organization/update', { data: { slug } })))
  t.match((await ann.post('/update-user', { name: '  Ann  ' })).status, 200)
  t.equal((await ann.get('/get-session')).body.user.name, 'Ann', 'trimmed')
  for (const bad of ['a\nb@example.com', '\u202eann@example.com', ' ', 'ann @example.com']) {
    const asked = await ann.post('/organization/invite-member', { email: bad, role: 'member' })
    t.equal(asked.status, 400, `an invitation to ${JSON.stringify(bad)}`)
  }
})

t.test('names of tokens and projects, too', async t => {
  const server = await startServer(t)
  const acme = await server.organization()
  let count = 0
  const send = async (method: string, path: string, body: object) => {
    const reply = await server.call(method, path, { as: acme.owner, body })
    if (reply.status >= 400) isError(t, reply, 400, path)
    return { status: reply.status, error: reply.json?.error }
  }
  await judge(t, 'a token', name => send('POST', '/api/tokens', { name }))
  await judge(t, 'a project', name =>
    send('POST', '/api/projects', { slug: `p${count++}`, name, sourceLanguage: 'en' }),
  )
})

t.test('a provider’s name is cleaned, and locks no user out', async t => {
  const email = 'ann.lee@example.com'
  t.equal(profileName({ name: '\u202eAnn\nLee\u0000 ', email }), 'Ann Lee')
  t.equal(profileName({ name: '\u3164', preferred_username: 'ann', email }), 'ann')
  t.equal(profileName({ name: ' ', preferred_username: 7, email }), 'ann.lee')
  t.equal(profileName({ email: '\u200b@example.com' }), 'User')
  t.equal(profileName({ name: '👩‍💻'.repeat(100), email }), [...'👩‍💻'.repeat(34)].slice(0, 100).join(''))
  for (const name of Object.values(BAD)) t.doesNotThrow(() => checkProjectName(profileName({ name, email })))
})

t.test('a project that was named before the rule is still one', async t => {
  const named = (name: string) =>
    parseProject('web', Buffer.from(JSON.stringify({ name, sourceLanguage: 'en', defaultFormat: 'i18next-json' }))).name
  t.equal(named('\u202eWeb\u200f shop'), 'Web shop')
  t.equal(named('\u200b'), 'web')
  t.throws(() => named('Web\nshop'), { code: 'unfit' })
  t.throws(() => named(' '), { code: 'unfit' })
})
