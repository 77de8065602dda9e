/** parlance.config.json: every fault of it in one run, each with file, line and column. */
import t from 'tap'
import { readConfigFile } from '../../../src/cli/config/file.ts'
import type { Problem } from '../../../src/cli/problem.ts'
import { newFolder } from '../../new-folder.ts'

/** Each kind of fault: a member on a line of its own, and `column sentence` of its fault. */
const KINDS: Record<string, [string, number, RegExp]> = {
  'an unknown field': ['"projct": "web"', 3, /no such field: "projct"/],
  'a secret': ['"token": "prl_"', 3, /no such field: "token"/],
  'a wrong type': ['"mergeNamespaces": "yes"', 22, /"mergeNamespaces" must be true or false/],
  'a wrong item': ['"languages": ["de", 1]', 16, /"languages" must be a list/],
  'a wrong member': ['"languageNames": { "zhtw": 1 }', 20, /"languageNames" must be an object/],
  'a text of the wrong kind': ['"url": "parlance.example.com"', 10, /"url" must be the address/],
  'a number out of its range': ['"indentation": 99', 18, /"indentation" must be a whole number/],
  'a comment': ['// "a": 1,\n  "sort": true', 3, /no comments/],
  'a name that stands twice': ['"sort": false', 3, /this name twice/],
}

function problemOf(text: string | Buffer): Problem {
  try {
    readConfigFile(newFolder(t, { 'parlance.config.json': text }))
  } catch (error) {
    return error as Problem
  }
  throw new Error('There is no fault.')
}

t.test('all faults are named at once, each at its place', async t => {
  const lines = Object.values(KINDS).map(([member]) => member)
  const { message, exit, where } = problemOf(`{\n  ${lines.join(',\n  ')},\n}\n`)
  t.equal(exit, 2)
  t.match(where.data, { count: lines.length + 1 }, 'with the comma behind the last one')
  let line = 2
  for (const [what, [member, column, sentence]] of Object.entries(KINDS)) {
    const told = message.split('\n').find(one => one.startsWith(`  parlance.config.json:${line}:${column}: `))
    t.match(told, sentence, what)
    line += member.split('\n').length
  }
})

t.test('a single fault is named alone', async t => {
  for (const [text, line, column] of [
    ['{ "sort": 1 }', 1, 11],
    ['{\n  "url": }', 2, 10],
    ['{ "url": ', 1, 10],
    ['[]', 1, 1],
    ['', 1, 1],
    [Buffer.from('{\n "project": "\xff" }', 'latin1'), 2, 14],
  ] as const) {
    const { exit, where } = problemOf(text)
    t.match({ exit, ...where }, { exit: 2, file: 'parlance.config.json', line, column }, String(text))
  }
})

t.test('a byte order mark is no fault', async t => {
  const folder = t.testdir({ 'parlance.config.json': '\ufeff{ "project": "web" }' })
  t.strictSame(readConfigFile(folder), { project: 'web' })
  t.equal(readConfigFile(newFolder(t)), undefined)
})
