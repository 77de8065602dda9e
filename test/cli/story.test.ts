/**
 * That a page which shows something else than what comes is found out, and that `UPDATE=1` then writes what came, and
 * only that.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { differences, readStory, rewrite, storyOf, tell } from './story.ts'

const PAGE = `# A page

\`\`\`json locales/en/common.json
{ "at": "localhost:3000" }
\`\`\`

\`\`\`console
$ cat locales/en/common.json
{ "at": "localhost:3000" }
$ cd locales
$ parlance one \\
  two
one two at 2026-01-02T03:04:05.678Z, revision abc1234     in ~
$ basename "$PWD"; false
locales
[exit 1]
\`\`\`

\`\`\`sh
$ not run
\`\`\`
`

t.test('a page', async t => {
  const home = t.testdir()
  const folder = join(home, 'told')
  const program = join(home, 'program.mjs')
  writeFileSync(
    program,
    `console.log(process.argv.slice(2).join(' '), 'at', new Date().toISOString() + ', revision 1234567   in', '~')`,
  )
  mkdirSync(folder)
  const story = storyOf(PAGE)
  const came = await tell(story, { folder, port: '40000', program, env: {} })
  t.strictSame(differences(story, came), [])

  const wrong = PAGE.replace('[exit 1]', '[exit 2]').replace('one two at', 'one three at').replace('in ~', 'in  ~')
  const other = storyOf(wrong)
  const found = differences(other, came)
  t.strictSame(
    found.map(({ step }) => step.command),
    ['parlance one \\\n  two', 'basename "$PWD"; false'],
    'white space is only looked over where something is masked',
  )
  const file = join(home, 'page.md')
  rewrite(file, other, came)
  t.strictSame(differences(readStory(file), came), [])
  t.equal(readFileSync(file, 'utf8').split('\n').length, PAGE.split('\n').length)
})

t.test('reports a shell that ends early', async t => {
  const story = storyOf('```console\n$ exit 3\n$ echo more\nmore\n```\n')
  const came = await tell(story, { folder: t.testdir(), port: '40000', program: '', env: {} })
  t.equal(differences(story, came).length, 2)
})

t.test('a block without an end', async t => t.throws(() => storyOf('```console\n$ x\n'), /line 1/))
