import { join } from 'node:path'
import t from 'tap'
import { ObjectReader } from '../../../src/store/objects/objects.ts'
import { publishObject } from '../../../src/store/objects/publish-pack.ts'
import { readTagObject, renderTag } from '../../../src/store/refs/tags.ts'
import { fsck, git } from '../git-cli.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }
const commit = '1'.repeat(40)
const parts = { commit, name: 'web/v1', tagger: ANN, time: 1_700_000_000, message: 'web v1' }

t.test('what a caller calls himself forges nothing', async t => {
  for (const [tagger, expected] of [
    [ANN, ANN],
    [
      { name: 'Ann\nobject 2222\n\nfree text', email: 'a>b <c\n@example.com' },
      { name: 'Ann object 2222  free text', email: 'abc@example.com' },
    ],
    [
      { name: '', email: '' },
      { name: 'unknown', email: 'unknown@parlance.invalid' },
    ],
    [
      { name: '💚 ünï', email: 'ü@example.com' },
      { name: '💚 ünï', email: 'ü@example.com' },
    ],
  ] as const) {
    const bytes = renderTag({ ...parts, tagger })
    t.equal(bytes.toString().split('\n').length, 7)
    const { object, tagger: read, time } = readTagObject(bytes)
    t.equal(object, commit)
    t.equal(time, parts.time)
    t.strictSame(
      { ...read, name: read?.name.replace(/\s+/g, ' ') },
      { ...expected, name: expected.name.replace(/\s+/g, ' ') },
    )
  }
})

t.test('other tags', async t => {
  t.match(readTagObject(Buffer.from('')), { object: undefined, tagger: undefined })
  t.match(readTagObject(Buffer.from(`object ${commit}\ntype commit\ntag v1\n\nancient`)), {
    object: commit,
    tagger: undefined,
  })
  const headers = `object ${commit}\ntype commit\ntag v1\ntagger <a@b> 12 +0130\ngpgsig -----BEGIN\n object ${'2'.repeat(40)}\n\n`
  t.match(readTagObject(Buffer.from(headers)), { object: commit, tagger: { name: '', email: 'a@b' }, time: 12 })
})

t.test('git accepts what is written', async t => {
  const cwd = t.testdir()
  const gitDir = join(cwd, '.git')
  git(cwd, 'init', '-q', '-b', 'main')
  git(cwd, '-c', 'user.name=Bob', '-c', 'user.email=b@example.com', 'commit', '-q', '--allow-empty', '-m', 'one')
  const head = git(cwd, 'rev-parse', 'HEAD').trim()
  const bytes = renderTag({ ...parts, commit: head })
  const id = await publishObject(gitDir, 'tag', bytes, async () => {})
  git(cwd, 'update-ref', 'refs/tags/web/v1', id)
  t.equal(fsck(cwd), '')
  t.equal(git(cwd, 'cat-file', 'tag', 'web/v1'), bytes.toString())
  t.equal(git(cwd, 'rev-parse', 'web/v1^{commit}').trim(), head)
  const reader = new ObjectReader(gitDir)
  t.strictSame(reader.read(id), { type: 'tag', bytes })
  reader.close()
  t.equal(await publishObject(gitDir, 'tag', bytes, async () => {}), id, 'a repetition changes nothing')
})
