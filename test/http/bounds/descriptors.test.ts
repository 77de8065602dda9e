import t from 'tap'
import { descriptorLimit, shareDescriptors } from '../../../src/http/bounds/descriptors.ts'

const wanted = { connections: 10_000, gitProcesses: 8 }

t.test('allows the connections that store and git leave room for, up to the setting', async t => {
  for (const limit of [160, 256, 1024, 4096, 65_536]) {
    const { connections, organizations, packs } = shareDescriptors(limit, wanted)
    // Two journals each, two descriptors a pack, six for each of git's processes.
    t.ok(connections + organizations * 2 + packs * 2 + 6 * 8 < limit, `${limit}: ${connections} connections`)
    t.ok(connections >= 8 && connections <= 10_000)
  }
  t.equal(shareDescriptors(65_536, wanted).connections, 10_000)
  t.equal(shareDescriptors(Number.POSITIVE_INFINITY, wanted).connections, 10_000)
  t.equal(shareDescriptors(65_536, { ...wanted, connections: 5 }).connections, 5)
})

t.test('allows a few connections when the limit is too low', async t => {
  const { connections, organizations, packs } = shareDescriptors(20, wanted)
  t.ok(connections > 0 && organizations > 0 && packs > 0)
})

t.test('reads the limit of this process', async t => {
  t.ok(descriptorLimit() > 64)
})
