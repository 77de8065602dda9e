import t from 'tap'
import { Splitter } from '../../src/bundle/splitter.ts'
import { cost } from '../processor-time.ts'
import { random } from '../random.ts'

t.test('returns the pieces of the whole text, however it is cut', async t => {
  for (let run = 0; run < 200; run++) {
    const text = Array.from({ length: 40 }, () => 'a\n\0ü'[Math.floor(random() * 4)]).join('')
    const lines = new Splitter('\n')
    const pieces: string[] = []
    for (let at = 0; at < text.length; ) {
      const length = Math.floor(random() * 7)
      pieces.push(...lines.take(text.slice(at, at + length)))
      at += length
    }
    if (JSON.stringify([...pieces, lines.rest]) !== JSON.stringify(text.split('\n'))) t.fail(JSON.stringify(text))
  }
  t.pass('200 texts')
})

t.test('reads a piece of many parts in time that grows with its length', async t => {
  const ofParts = (count: number) => () => {
    const lines = new Splitter('\n')
    for (let part = 0; part < count; part++) lines.take('x'.repeat(1_024))
    return lines.take('\n')[0]!.length
  }
  t.equal(ofParts(1_000)(), 1_024_000)
  const [short, long] = [ofParts(1_000), ofParts(8_000)].map(read => cost(read))
  t.ok(long! < 24 * short!, `8 times the parts: ${(long! / short!).toFixed(1)} times the time`)
})
