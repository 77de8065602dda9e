/** What others wrote shows on a terminal and does nothing there. */
import { Readable } from 'node:stream'
import t from 'tap'
import { asLine, asOwn, coloured, oneLine, printable } from '../../src/cli/terminal/printable.ts'
import { widthOf } from '../../src/cli/terminal/width.ts'
import { command } from './in-process.ts'

/** Unicode's Bidi_Control, line and paragraph separators, and all controls but the line break. */
const OBEYED = [
  ...Array.from({ length: 0x20 }, (_, code) => code).filter(code => code !== 0x0a),
  ...Array.from({ length: 0x21 }, (_, at) => 0x7f + at),
  ...[0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e],
  ...[0x2066, 0x2067, 0x2068, 0x2069],
].map(code => String.fromCharCode(code))

t.test('shows each character that a terminal obeys escaped', async t => {
  for (const sign of OBEYED) {
    const name = `U+${sign.charCodeAt(0).toString(16)}`
    const shown = `a\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}b`
    t.equal(printable(`a${sign}b`), shown, name)
    if (sign !== '\t') t.equal(coloured(`a${sign}b`), shown, name)
    t.notOk(sign !== '\t' && asLine(`a${sign}b`).includes(sign), name)
    t.notOk(oneLine(`a${sign}b`).includes(sign), name)
  }
})

t.test('leaves text, line breaks and our own colours', async t => {
  const text = 'Größe\nمرحبا zero\u200cwidth'
  t.equal(printable(text), text)
  const own = `\x1b[31m${text}\x1b[0m\t`
  t.equal(coloured(asOwn(own)), own)
  t.equal(widthOf(asOwn('\x1b[1;31mab\x1b[m')), 2, 'the mark has no width')
})

t.test('shows colours of others, also between our own', async t => {
  for (const theirs of ['\x1b[31m', '\x1b[m', '\x1b[8;1234;1234;1234m', '\x1b[1A', '\x1b]0;title\x07']) {
    const shown = coloured(`${asOwn('\x1b[1m')}a${theirs}b${asOwn('\x1b[22m')}`)
    t.equal(shown.split('\x1b').length, 3, JSON.stringify(theirs))
    t.match(shown, 'a\\u001b')
  }
})

t.test("a server's texts colour nothing on a terminal, in a pipe and in JSON", async t => {
  const cwd = t.testdir()
  const evil = '\x1b[31mred\x1b[8m\u202e'
  const answers: Record<string, object> = {
    '/api/whoami': {
      organization: { id: '1', slug: 'acme', name: evil },
      name: evil,
      scope: 'read',
      version: evil,
    },
    '/api/projects': { projects: [{ slug: evil }] },
    '/api/projects/web/releases': { error: evil },
  }
  const send = async ({ pathname }: URL) => ({
    status: pathname.endsWith('releases') ? 409 : 200,
    headers: { 'content-type': 'application/json' },
    body: Readable.from([Buffer.from(JSON.stringify(answers[pathname]))]),
  })
  const env = { PARLANCE_URL: 'http://localhost:1', PARLANCE_TOKEN: 'prl_x', PARLANCE_PROJECT: 'web' }
  for (const around of [
    { env, send, typed: [] },
    { env, send },
  ]) {
    for (const words of [['whoami'], ['release', 'list']]) {
      const { out, err } = await command(cwd, words, around)
      if (words[0] === 'whoami') t.match(out, 'organization  \\u001b[31mred\\u001b[8m\\u202e', words.join(' '))
      t.notMatch(out + err, /[\x1b\u202e]/, words.join(' '))
      if (words[0] === 'release') t.match(err, 'red')
      const { out: document } = await command(cwd, [...words, '--json'], around)
      t.notMatch(document, /[\x1b\u202e]/, `${words.join(' ')} --json`)
      t.ok(JSON.stringify(JSON.parse(document)).includes('\u202e'), 'the document has the very text')
    }
  }
})
