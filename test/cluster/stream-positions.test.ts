/** A node's knowledge of streams, for announcements in any order. */
import t from 'tap'
import { readNews } from '../../src/cluster/peers.ts'
import { StreamPositions } from '../../src/cluster/stream-positions.ts'

t.test('a window is open until its node has said otherwise, later', async t => {
  const hearing = new StreamPositions()
  const heard: number[] = []
  hearing.follow('org', position => void heard.push(position.announced))
  const hear = async (text: string) => {
    for (const [stream, news] of readNews(text)) await hearing.update(stream, news)
    return heard.at(-1)
  }
  t.equal(await hear('org 3 2\n'), 3, 'as nodes of a version before say it')
  t.equal(await hear('org Infinity 3 one 7\n'), Infinity)
  t.equal(await hear('org 9 3 one 5\n'), Infinity, 'what was said before comes later')
  t.equal(await hear('org Infinity 3 two 2\n'), Infinity)
  t.equal(await hear('org 10 9 one 8\n'), Infinity, 'the other one has not said so')
  t.strictSame(hearing.senders, ['two'])
  t.equal(await hear('org 9 9 two 3\n'), 10, 'no number falls')
  await hear('org Infinity 10 one 9\n')
  hearing.closeWindows(['one'])
  t.equal(heard.at(-1), 10)
  t.strictSame(hearing.senders, [])
})
