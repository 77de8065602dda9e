import t from 'tap'
import { type Caller, isRole, may, type Permission, type Role, strongestRole } from '../../src/auth/access.ts'

const PERMISSIONS: Permission[] = ['read', 'edit', 'manage-projects', 'list-tokens', 'manage-tokens']

function caller(kind: Caller['kind'], role: Role, scope: Caller['scope'] = 'write'): Caller {
  return { kind, organization: 'o', role, scope, id: 'i', name: 'n', email: 'e@example.com' }
}

t.test('who may do what', async t => {
  const table: [string, Caller, Permission[]][] = [
    ['owner', caller('session', 'owner'), PERMISSIONS],
    ['admin', caller('session', 'admin'), PERMISSIONS],
    ['member', caller('session', 'member'), ['read', 'edit', 'list-tokens']],
    ['write token', caller('token', 'admin'), ['read', 'edit', 'manage-projects']],
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
