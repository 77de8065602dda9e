import t from 'tap'
import { FairShares } from '../../src/scheduling/fair-shares.ts'

const claimant = (organization: string, credential: string) => ({ organization, credential })
const [ann, ben] = [claimant('acme', 'ann'), claimant('acme', 'ben')]
const otto = claimant('other', 'otto')

t.test('compares the organizations first, then the credentials', async t => {
  const shares = new FairShares()
  shares.add(ann, 5)
  shares.add(ben, 1)
  shares.add(otto, 4)
  t.equal(shares.total, 10)
  const all = [ann, ben, otto].map(claimant => ({ claimant }))
  t.equal(shares.most(all)!.claimant, ann)
  t.equal(shares.least(all)!.claimant, otto, 'its organization has less, though its credential has more than ben')
  t.equal(shares.most([]), undefined)
  t.ok(shares.yields(ben, otto, 1), 'acme has 6, which is more than 4 + 1')
  t.notOk(shares.yields(ben, otto, 2))
  t.ok(shares.yields(ann, ben, 3))
  t.notOk(shares.yields(ann, ben, 4))
  t.notOk(shares.yields(ann, ann, 1), 'a claimant does not give way to itself')
})

t.test('counts a user in two organizations twice', async t => {
  const shares = new FairShares()
  shares.add(claimant('acme', 'ann'), 3)
  shares.add(claimant('other', 'ann'), 1)
  t.ok(shares.yields(claimant('acme', 'ann'), claimant('acme', 'ben'), 2))
  t.notOk(shares.yields(claimant('other', 'ann'), claimant('other', 'ben'), 1))
})

t.test('prefers the first of equals, and forgets released shares', async t => {
  const shares = new FairShares()
  const all = [ann, otto].map(claimant => ({ claimant }))
  t.equal(shares.least(all), all[0])
  t.equal(shares.most(all), all[0])
  shares.add(ann, 2)
  shares.add(ann, -2)
  t.equal(shares.total, 0)
  t.equal(shares.compare(ann, otto), 0)
})
