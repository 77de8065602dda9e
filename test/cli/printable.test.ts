/** What others wrote shows on a terminal and does nothing there. */
import t from 'tap'
import { asLine, coloured, oneLine, printable } from '../../src/cli/terminal/printable.ts'

/** Unicode's Bidi_Control, line and paragraph separators, and all controls but the line break. */
const OBEYED = [
  ...Array.from({ length: 0x20 }, (_, code) => code).filter(code => code !== 0x0a),
  ...Array.from({ length: 0x21 }, (_, at) => 0x7f + at),
  ...[0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e],
  ...[0x2066, 0x2067, 0x2068, 0x2069],
].map(code => String.fromCharCode(code))

t.test('shows each character that a terminal obeys as U+FFFD', async t => {
  for (const sign of OBEYED) {
    const name = `U+${sign.charCodeAt(0).toString(16)}`
    t.equal(printable(`a${sign}b`), 'a\ufffdb', name)
    if (sign !== '\t') t.equal(coloured(`a${sign}b`), 'a\ufffdb', name)
    t.notOk(sign !== '\t' && asLine(`a${sign}b`).includes(sign), name)
    t.notOk(oneLine(`a${sign}b`).includes(sign), name)
  }
})

t.test('leaves text, line breaks and our own colours', async t => {
  const text = 'Größe\nمرحبا zero\u200cwidth'
  t.equal(printable(text), text)
  t.equal(coloured(`\x1b[31m${text}\x1b[0m\t`), `\x1b[31m${text}\x1b[0m\t`)
})
