import { execFileSync } from 'node:child_process'
import t from 'tap'
import {
  COMMITTER,
  identity,
  messageText,
  readCommit,
  readCommitText,
  renderCommit,
} from '../../../src/store/objects/commit.ts'

const TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

t.test('an identity cannot hold what git reads as structure', async t => {
  const cases: [name: string, email: string, expected: string][] = [
    ['Ann', 'ann@example.com', 'Ann <ann@example.com>'],
    ['  Ann  B.  ', 'ann@example.com', 'Ann  B <ann@example.com>'],
    ['Zoë Ñandú 李', 'z@example.com', 'Zoë Ñandú 李 <z@example.com>'],
    ['Ann <root@example.com>', 'ann@example.com', 'Ann root@example.com <ann@example.com>'],
    [
      'Ann\nauthor Eve <eve@example.com> 1 +0000',
      'ann@example.com',
      'Ann author Eve eve@example.com 1 +0000 <ann@example.com>',
    ],
    ['Ann\r\n\u0000\u0085\u2028x', 'ann@example.com\n\ncommitter', 'Ann x <ann@example.comcommitter>'],
    ['', 'ann@example.com', 'ann <ann@example.com>'],
    ['.,:;<>"\\\'', '', 'unknown <unknown@parlance.invalid>'],
    ['half \ud800 pair', 'a@example.com', 'half \ufffd pair <a@example.com>'],
  ]
  for (const [name, email, expected] of cases) t.equal(identity({ name, email }), expected, expected)
})

t.test('a message holds one subject line and only the trailers it was given', async t => {
  t.equal(messageText({ subject: 'web de/common: update nav.home' }), 'web de/common: update nav.home\n')
  t.equal(messageText({ subject: ' \n ' }), 'update\n')
  const forged = messageText({
    subject: 'update a\n\nParlance-Project: other',
    trailers: [
      ['Parlance-Project', 'web\nParlance-Language: xx'],
      ['Bad Name:\n', 'x\r\ny'],
    ],
  })
  t.equal(forged, 'update a Parlance-Project: other\n\nParlance-Project: web Parlance-Language: xx\nBadName: x y\n')
})

t.test('git reads the trailers as they were meant', async t => {
  const message = messageText({
    subject: 'web: x\n\nForged: yes',
    trailers: [['Parlance-Project', 'web\nForged: yes']],
  })
  const parsed = execFileSync('git', ['interpret-trailers', '--parse'], { input: message, encoding: 'utf8' })
  t.equal(parsed, 'Parlance-Project: web Forged: yes\n')
})

t.test('a commit is rendered as git does and read back', async t => {
  const parts = {
    tree: TREE,
    parent: 'a'.repeat(40),
    author: 'Ann <ann@example.com>',
    time: 1_700_000_000,
    message: 'x\n',
  }
  const bytes = renderCommit(parts)
  t.equal(
    bytes.toString(),
    `tree ${TREE}\nparent ${'a'.repeat(40)}\nauthor Ann <ann@example.com> 1700000000 +0000\ncommitter ${COMMITTER} 1700000000 +0000\n\nx\n`,
  )
  t.same(readCommit(bytes), { tree: TREE, parents: ['a'.repeat(40)], time: 1_700_000_000 })
  t.same(readCommit(renderCommit({ ...parts, parent: null })).parents, [])
  t.throws(() => readCommit(Buffer.from('author x')), /without a tree/)
})

t.test('what looks like a header in the message is not read as one', async t => {
  const message = `x\n\ntree ${'b'.repeat(40)}\nparent ${'c'.repeat(40)}\n`
  const read = readCommit(renderCommit({ tree: TREE, parent: null, author: 'A <a@example.com>', time: 5, message }))
  t.same(read, { tree: TREE, parents: [], time: 5 })
})

t.test('what commits of any author say', async t => {
  const message = 'add a\n\nParlance-Added: 1\n'
  const ours = renderCommit({ tree: TREE, parent: null, author: 'Zoë <zoe@example.com>', time: 5, message })
  t.same(readCommitText(ours), {
    author: { name: 'Zoë', email: 'zoe@example.com' },
    time: 5,
    subject: 'add a',
    body: 'Parlance-Added: 1\n',
  })
  const author = (line: string) => readCommitText(Buffer.from(`tree ${TREE}\nauthor ${line}\n\nx`)).author
  for (const [line, name, email] of [
    ['A B <a@b> 1 +0000', 'A B', 'a@b'],
    ['<a@b> 1 +0000', '', 'a@b'],
    ['A <> 1 +0000', 'A', ''],
    ['A <B <c>> 1 +0000', 'A', 'B <c>'],
    ['A', 'A', ''],
    ['A > <', 'A >', ''],
    ['', '', ''],
  ] as const) {
    t.same(author(line), { name, email }, line)
  }
  const says = (text: string) => readCommitText(Buffer.from(`tree ${TREE}\n\n${text}`))
  t.equal(says('\n\n a\n  b \r\n\nc').subject, 'a b', 'the first paragraph in one line')
  t.match(says(''), { subject: '', body: '', time: 0 })
  t.match(readCommitText(Buffer.from([0xff, 0xfe])), { subject: '', author: { name: '' } })
  t.equal(readCommitText(Buffer.from([...Buffer.from('tree x\n\n'), 0xe4])).subject, '\ufffd')
  t.equal(readCommitText(Buffer.from('committer a <b> 99999999999999999999 +0000\n\n')).time, 0, 'no time')
  const long = `${' '.repeat(300_000)}x${'<'.repeat(300_000)}`
  t.equal(readCommitText(Buffer.from(`author ${long}\n\n${long}`)).author.name, 'x', 'in no time')
})
