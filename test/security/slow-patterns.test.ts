/**
 * ReDoS: each regular expression of `src/` runs on repeated texts from its own parts. A pattern that is not linear
 * must be in the table with the limit of its input. Whole requests: test/contract/refusals.
 * `SECURITY=all`: longer texts with more ends.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { processorTime } from '../processor-time.ts'

const ALL = process.env.SECURITY === 'all'
const LENGTH = ALL ? 40_000 : 10_000

const source = fileURLToPath(new URL('../../src/', import.meta.url))

/** The patterns that are not linear, with the most characters of their input and its source. */
const BOUNDED: Record<string, [most: number, why: string]> = {
  'settings.ts /\\/+$/': [1000, 'the operator’s own BASE_URL'],
  'demo/demo.ts /\\/+$/': [1000, 'the address on one’s own command line'],
  'cli/terminal/printable.ts /\\s*\\n\\s*/g': [1000, 'a message to one’s own terminal'],
  'cli/local/load-module.ts /^\\s*(?:import|export)\\b[^(]/m': [1000, 'one’s own i18next config'],
  'cli/local/load-module.ts /^(\\s*import\\b[^{};\'"]*)\\{([^}]*)\\}(\\s*from\\b)/gm': [
    1000,
    'one’s own i18next config',
  ],
  'cli/local/load-module.ts /\\s+as\\s+/': [1000, 'one’s own i18next config'],
  'store/git/git.ts /(\\d+)\\.(\\d+)(?:\\.\\d+)*/': [200, 'what the machine’s own git says of its version'],
}

/** Regular expression literals: after a token that may precede a value, outside comments. */
const LITERAL =
  /(?<=(?:[=(,:?!&|;[{]|=>|return|case)\s*)\/(?![*/ ])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/g

interface Found {
  where: string
  pattern: RegExp
}

function patterns(): Found[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'))
  return files.flatMap(file => {
    const text = readFileSync(join(source, file), 'utf8')
      .replace(/^\s*\/?\*.*$/gm, '')
      .replace(/(^|\s)\/\/ .*$/gm, '')
    return [...text.matchAll(LITERAL)].map(([, pattern = '', flags]) => ({
      where: `${relative(source, join(source, file))} /${pattern}/${flags}`,
      pattern: new RegExp(pattern, flags),
    }))
  })
}

/** Pieces of text from the words and classes of a pattern, and common ones. */
function pieces({ source }: RegExp): string[] {
  const words = source
    .replace(/\(\?(?:<?[=!]|<\w+>|:)|\\[pP]\{\w+\}|\\[bBdDwWsS]|\\u[0-9a-f]{4}|[\^$]/g, ' ')
    .replace(/\\(.)/g, '$1')
    .split(/[\s()|[\]+*?]+/)
    .filter(word => word.length > 0 && word.length < 20)
  return [...new Set([...words, ...words.flatMap(word => [...word])])].slice(0, 24)
}

const USUAL = [
  'a',
  '0',
  ' ',
  '\t',
  '\n',
  '.',
  '-',
  '_',
  '/',
  '{',
  '}',
  ',',
  '"',
  "'",
  '\\',
  '=',
  ';',
  ':',
  '<',
  '%',
  'a ',
  ' a',
  'a-',
  'a.',
  '_a',
  '0a',
  '{a',
  '\ud800',
  'é',
]

function text(piece: string, length: number, [head, tail]: readonly [string, string]): string {
  return head + piece.repeat(Math.ceil(length / piece.length)).slice(0, length) + tail
}

/** The least milliseconds of several rounds. */
function time(pattern: RegExp, subject: string): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const begun = processorTime()
    if (pattern.global) subject.replace(pattern, '')
    else pattern.test(subject)
    least = Math.min(least, processorTime() - begun)
    // A fast pattern needs no second round.
    if (least < 0.3) break
  }
  return least
}

/** The factor of time for four times the text. 0 when both are fast. */
function growth(pattern: RegExp, piece: string, ends: readonly [string, string], length: number): number {
  const long = time(pattern, text(piece, length, ends))
  if (long < 2) return 0
  return long / Math.max(0.01, time(pattern, text(piece, length / 4, ends)))
}

const all = patterns()

t.test('finds the patterns of the source', async t => {
  t.ok(all.length > 150, `${all.length}`)
  t.ok(all.some(({ where }) => where.startsWith('bundle/icu.ts')))
})

t.test('measures a slow pattern as slow', async t => {
  t.ok(growth(/(a+)+$/, 'a', ['', '!'], 20) > 100 || time(/(a+)+$/, text('a', 20, ['', '!'])) > 2, 'exponential')
  t.ok(growth(/\s+$/, ' ', ['a', 'b'], LENGTH) > 8, 'quadratic')
  t.equal(growth(/^[a-z]+$/, 'a', ['', '!'], LENGTH), 0, 'linear')
})

t.test('runs every pattern in linear time, or on short input only', async t => {
  const slow: string[] = []
  for (const { where, pattern } of all) {
    const [most = LENGTH] = BOUNDED[where] ?? []
    const own = pieces(pattern)
    const heads = ['', 'é', ...(ALL ? own.slice(0, 4) : [])]
    search: for (const piece of new Set([...own, ...USUAL])) {
      for (const head of heads) {
        // Ends that prevent an early match, and ends that prevent any match.
        for (const tail of ['!\u0000', ...(ALL ? ['', `${own[0] ?? ''}\u0000`] : [])]) {
          // Short texts first: an exponential pattern would not return from longer ones.
          for (const length of ALL ? [24, 400, most] : [24, most]) {
            if (length > most) continue
            const limit = BOUNDED[where] && length === most ? 30 : 9
            const measure = () => growth(pattern, piece, [head, tail], length)
            const grown = measure()
            // Three rounds: other load on the machine does not slow all of them.
            if (grown < limit || measure() < limit || measure() < limit) continue
            slow.push(`${where} by ${JSON.stringify(head + piece)}…: ${grown.toFixed(0)} times at ${length}`)
            break search
          }
        }
      }
    }
  }
  t.strictSame(slow, [])
})
