import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import t from 'tap'
import { AnswerMemory } from '../../../src/http/bounds/answer-memory.ts'

const KB = 1024
const claimant = (organization: string, credential: string) => ({ organization, credential })

/** An answer that can be cut, or read to its end. */
class Answer extends EventEmitter {
  readonly req = { socket: new EventEmitter() }
  cut = false
  destroy() {
    this.cut = true
    this.emit('close')
  }
  get response() {
    return this as unknown as ServerResponse
  }
}

function hold(memory: AnswerMemory, organization: string, bytes: Buffer, credential = 'token'): Answer {
  const answer = new Answer()
  memory.hold(claimant(organization, credential), answer.response, bytes)
  return answer
}

t.test('disconnects the oldest answer of the heaviest client', async t => {
  const memory = new AnswerMemory(400 * KB)
  const acme = [1, 2, 3].map(n => hold(memory, 'acme', Buffer.alloc(100 * KB, n)))
  const other = hold(memory, 'other', Buffer.alloc(100 * KB))
  t.notOk(
    [...acme, other].some(({ cut }) => cut),
    'there is room for four',
  )
  const second = hold(memory, 'other', Buffer.alloc(100 * KB))
  t.strictSame(
    acme.map(({ cut }) => cut),
    [true, false, false],
  )
  t.notOk(other.cut || second.cut)
  t.equal(memory.bytes, 400 * KB)
  for (const answer of [...acme, other, second]) answer.emit('close')
  t.equal(memory.bytes, 0, 'the memory of each answer is released once')
})

t.test('counts shared bytes once for all their readers', async t => {
  const memory = new AnswerMemory(150 * KB)
  const bytes = Buffer.alloc(100 * KB)
  const readers = Array.from({ length: 50 }, (_, n) => hold(memory, 'acme', bytes, `token ${n}`))
  t.equal(memory.bytes, 100 * KB)
  t.notOk(readers.some(({ cut }) => cut))
  for (const reader of readers.slice(1)) reader.emit('close')
  t.equal(memory.bytes, 100 * KB)
  readers[0]!.emit('close')
  t.equal(memory.bytes, 0)
})

t.test('sends an answer larger than the memory when it is alone, and does not count small answers', async t => {
  const memory = new AnswerMemory(100 * KB)
  const large = hold(memory, 'acme', Buffer.alloc(300 * KB))
  t.notOk(large.cut)
  for (let n = 0; n < 10; n++) t.notOk(hold(memory, 'other', Buffer.alloc(60 * KB)).cut)
  t.equal(memory.bytes, 300 * KB)
  t.notOk(hold(memory, 'other', Buffer.alloc(70 * KB)).cut)
  t.ok(large.cut, 'it is cut for a second answer')
})
