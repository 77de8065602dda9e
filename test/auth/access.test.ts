import t from 'tap'
import {
  type Caller,
  isRole,
  may,
  type Permission,
  permit,
  type Role,
  reaches,
  strongestRole,
} from '../../src/auth/access.ts'

const PERMISSIONS: Permission[] = [
  'read',
  'add',
  'suggest',
  'edit',
  'manage-projects',
  'list-tokens',
  'manage-tokens',
  'own-inbox',
]

function caller(kind: Caller['kind'], role: Role, scope: Caller['scope'] = 'write'): Caller {
  return { kind, organization: 'o', role, scope, id: 'i', name: 'n', email: 'e@example.com' }
}

t.test('who may do what', async t => {
  const table: [string, Caller, Permission[]][] = [
    ['owner', caller('session', 'owner'), PERMISSIONS],
    ['admin', caller('session', 'admin'), PERMISSIONS],
    ['member', caller('session', 'member'), ['read', 'add', 'suggest', 'edit', 'list-tokens', 'own-inbox']],
    ['write token', caller('token', 'admin'), ['read', 'add', 'suggest', 'edit', 'manage-projects']],
    ['suggest token', caller('token', 'admin', 'suggest'), ['read', 'suggest']],
    ['add token', caller('token', 'admin', 'add'), ['read', 'add']],
    ['read token', caller('token', 'admin', 'read'), ['read']],
  ]
  for (const [name, who, granted] of table) {
    t.same(
      PERMISSIONS.filter(permission => may(who, permission)),
      granted,
      name,
    )
  }
})

t.test('a refusal says what the token may', async t => {
  for (const [scope, words] of [
    ['read', /may only read\.$/],
    ['add', /may only read, and add missing keys by POST/],
    ['suggest', /may only read, suggest texts and write comments\.$/],
  ] as const) {
    t.throws(() => permit(caller('token', 'admin', scope), 'edit'), { code: 'forbidden', message: words })
  }
})

t.test('projects that a caller reaches', async t => {
  const all = caller('token', 'admin')
  t.ok(reaches(all, 'web'))
  const some: Caller = { ...all, projects: ['shop', 'web'] }
  t.strictSame(
    ['web', 'shop', 'vault', 'Web', 'we', '', 'shop,web', '__proto__', 'length'].filter(slug => reaches(some, slug)),
    ['web', 'shop'],
  )
  t.notOk(reaches({ ...all, projects: [] }, 'web'))
})

t.test('stored roles may be comma-joined', async t => {
  t.equal(strongestRole('member'), 'member')
  t.equal(strongestRole('member,admin'), 'admin')
  t.equal(strongestRole('admin,member,owner'), 'owner')
  t.equal(strongestRole('translator'), 'member', 'a role of no meaning gives the least')
  t.equal(strongestRole('admin, owner'), 'admin', 'not trimmed: " owner" is no role')
  t.ok(isRole('admin,member'))
  for (const odd of ['', ' owner', 'admin, owner', 'translator', 'owner,', 'Owner'])
    t.notOk(isRole(odd), JSON.stringify(odd))
})
