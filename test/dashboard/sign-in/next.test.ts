/** Where a sign-in leads to: to this page alone. */
import t from 'tap'
import { nextOf, withNext } from '../../../src/dashboard/sign-in/next.ts'

const NEXT = {
  '': '/',
  'next=%2Fprojects%2Fweb%3Fkey%3Dnav.home': '/projects/web?key=nav.home',
  'next=https%3A%2F%2Fexample.com': '/',
  'next=%2F%2Fexample.com': '/',
  'next=javascript%3Aalert(1)': '/',
  'next=%2Fsign-in': '/',
}

t.test('the address after a sign-in', async t => {
  for (const [query, next] of Object.entries(NEXT)) t.equal(nextOf(query), next, query)
  const there = '/projects/web/de?key=a&q=b'
  t.equal(nextOf(withNext('/sign-in', there).split('?')[1]!), there, 'what withNext writes is read again')
  t.equal(withNext('/sign-up', '/'), '/sign-up', 'the first page needs no word')
})
