import t, { type Test } from 'tap'
import { network, RateLimit } from '../../src/auth/rate-limit.ts'
import type { Refusal } from '../../src/auth/refusal.ts'

function setUp() {
  const clock = { now: 1_000_000 }
  return { clock, limits: new RateLimit(() => clock.now) }
}

function retryAfter(t: Test, attempt: () => unknown): number {
  try {
    attempt()
  } catch (error) {
    const { status, code, headers } = error as Refusal
    t.same({ status, code }, { status: 429, code: 'TOO_MANY_REQUESTS' })
    t.match(headers['retry-after'], /^[1-9]\d*$/)
    return Number(headers['retry-after'])
  }
  return 0
}

t.test('requests of one address', async t => {
  const { clock, limits } = setUp()
  for (let i = 0; i < 30; i++) limits.request('sign-up', '192.0.2.1')
  for (let i = 0; i < 60; i++) limits.request('sign-in', '192.0.2.1')
  for (let i = 0; i < 5000; i++) limits.request('other', '192.0.2.1')
  clock.now += 20_500
  let passed = 0
  while (passed < 100 && retryAfter(t, () => limits.request('sign-up', '192.0.2.1')) === 0) passed++
  t.ok(passed < 30, 'the limit is just above thirty')
  t.equal(
    retryAfter(t, () => limits.request('sign-up', '192.0.2.1')),
    40,
    'whole seconds, rounded up',
  )
  limits.request('sign-up', '192.0.2.2')
  limits.request('sign-in', '192.0.2.1')
  clock.now += 39_499
  t.equal(
    retryAfter(t, () => limits.request('sign-up', '192.0.2.1')),
    1,
  )
  clock.now += 1
  limits.request('sign-up', '192.0.2.1')
})

t.test('limits requests at the rate of a program', async t => {
  const { limits } = setUp()
  for (const [name, most] of [
    ['found', 120],
    ['invite', 600],
  ] as const) {
    for (let i = 0; i < most; i++) limits.request(name, '192.0.2.1')
    t.not(
      retryAfter(t, () => limits.request(name, '192.0.2.1')),
      0,
      name,
    )
    limits.request(name, '192.0.2.2')
  }
  limits.request('other', '192.0.2.1')
})

t.test('wrong passwords for one account', async t => {
  const { clock, limits } = setUp()
  const fail = (address: string, email = 'ann@example.com') => limits.signIn(email, address)('wrong')
  for (let i = 0; i < 10; i++) fail('192.0.2.1')
  t.equal(
    retryAfter(t, () => fail('192.0.2.1')),
    60,
  )
  t.equal(
    retryAfter(t, () => fail('192.0.2.1', 'ANN@example.com')),
    60,
    'an address is one account in any case',
  )
  limits.signIn('ann@example.com', '192.0.2.2')('right')
  limits.signIn('bob@example.com', '192.0.2.1')('right')
  for (let host = 10; host < 19; host++) for (let i = 0; i < 10; i++) fail(`192.0.2.${host}`)
  t.ok(retryAfter(t, () => fail('192.0.2.99')) > 0, 'a hundred from anywhere')
  clock.now += 60_000
  fail('192.0.2.1')
})

t.test('attempts at the same time count before their outcome is known', async t => {
  const { limits } = setUp()
  const settle = Array.from({ length: 10 }, () => limits.signIn('ann@example.com', '192.0.2.1'))
  t.ok(retryAfter(t, () => limits.signIn('ann@example.com', '192.0.2.1')) > 0)
  settle[0]?.('neither')
  settle[0] = limits.signIn('ann@example.com', '192.0.2.1')
  settle[0]?.('right')
  for (let i = 0; i < 10; i++) limits.signIn('ann@example.com', '192.0.2.1')('wrong')
  t.ok(retryAfter(t, () => limits.signIn('ann@example.com', '192.0.2.1')) > 0)
})

t.test('an IPv6 client is its /64', async t => {
  const table: [string, string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
    ['', ''],
  ]
  for (const [address, expected] of table) t.equal(network(address), expected, address)
})
