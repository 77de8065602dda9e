import t from 'tap'
import { FairShares } from '../src/fair-shares.ts'

const taker = (organization: string, credential: string) => ({ organization, credential })
const [ann, ben] = [taker('acme', 'ann'), taker('acme', 'ben')]
const otto = taker('other', 'otto')

t.test('compares the organizations first, then the credentials', async t => {
  const shares = new FairShares()
  shares.add(ann, 5)
  shares.add(ben, 1)
  shares.add(otto, 4)
  t.equal(shares.total, 10)
  const all = [ann, ben, otto].map(taker => ({ taker }))
  t.equal(shares.most(all)!.taker, ann)
  t.equal(shares.least(all)!.taker, otto, 'its organization has less, though its credential has more than ben')
  t.equal(shares.most([]), undefined)
  t.ok(shares.yields(ben, otto, 1), 'acme has 6, which is more than 4 + 1')
  t.notOk(shares.yields(ben, otto, 2))
  t.ok(shares.yields(ann, ben, 3))
  t.notOk(shares.yields(ann, ben, 4))
  t.notOk(shares.yields(ann, ann, 1), 'a caller does not yield to itself')
})

t.test('counts a user in two organizations twice', async t => {
  const shares = new FairShares()
  shares.add(taker('acme', 'ann'), 3)
  shares.add(taker('other', 'ann'), 1)
  t.ok(shares.yields(taker('acme', 'ann'), taker('acme', 'ben'), 2))
  t.notOk(shares.yields(taker('other', 'ann'), taker('other', 'ben'), 1))
})

t.test('prefers the first of equals, and forgets released shares', async t => {
  const shares = new FairShares()
  const all = [ann, otto].map(taker => ({ taker }))
  t.equal(shares.least(all), all[0])
  t.equal(shares.most(all), all[0])
  shares.add(ann, 2)
  shares.add(ann, -2)
  t.equal(shares.total, 0)
  t.equal(shares.compare(ann, otto), 0)
})
