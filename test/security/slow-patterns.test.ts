/**
 * ReDoS: each regular expression of `src/`, those that see nothing from outside too, under texts made from its own parts and repeated. One that takes
 * more than linear time must stand in the table with the bound of what it sees. Whole requests: `no text makes the checks slow` in test/contract/refusals. `SECURITY=all`: longer texts with more ends.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { processorTime } from '../processor-time.ts'

const ALL = process.env.SECURITY === 'all'
const LENGTH = ALL ? 40_000 : 10_000

const source = fileURLToPath(new URL('../../src/', import.meta.url))

/** Those that are not linear, by their text: the longest that they see, in characters, and who says so. */
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

/** Literals: after what may come before a value, and not a comment. */
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

/** What a pattern's own words and classes are made of, and what every pattern may be made of. */
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

/** Milliseconds, the least of several rounds. */
function time(pattern: RegExp, subject: string): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const begun = processorTime()
    if (pattern.global) subject.replace(pattern, '')
    else pattern.test(subject)
    least = Math.min(least, processorTime() - begun)
    // What is over so soon needs no second look.
    if (least < 0.3) break
  }
  return least
}

/** How many times as long four times the text takes; 0 when even that is over at once. */
function growth(pattern: RegExp, piece: string, ends: readonly [string, string], length: number): number {
  const long = time(pattern, text(piece, length, ends))
  if (long < 2) return 0
  return long / Math.max(0.01, time(pattern, text(piece, length / 4, ends)))
}

const all = patterns()

t.test('the patterns are found', async t => {
  t.ok(all.length > 150, `${all.length}`)
  t.ok(all.some(({ where }) => where.startsWith('bundle/icu.ts')))
})

t.test('the measure tells a slow one', async t => {
  t.ok(growth(/(a+)+$/, 'a', ['', '!'], 20) > 100 || time(/(a+)+$/, text('a', 20, ['', '!'])) > 2, 'exponential')
  t.ok(growth(/\s+$/, ' ', ['a', 'b'], LENGTH) > 8, 'quadratic')
  t.equal(growth(/^[a-z]+$/, 'a', ['', '!'], LENGTH), 0, 'linear')
})

t.test('every one takes linear time, or sees little', async t => {
  const slow: string[] = []
  for (const { where, pattern } of all) {
    const [most = LENGTH] = BOUNDED[where] ?? []
    const own = pieces(pattern)
    const heads = ['', 'é', ...(ALL ? own.slice(0, 4) : [])]
    search: for (const piece of new Set([...own, ...USUAL])) {
      for (const head of heads) {
        // Ends that keep a pattern from matching at once, and from matching at all.
        for (const tail of ['!\u0000', ...(ALL ? ['', `${own[0] ?? ''}\u0000`] : [])]) {
          // Short first: an exponential one would not come back from more.
          for (const length of ALL ? [24, 400, most] : [24, most]) {
            if (length > most) continue
            const limit = BOUNDED[where] && length === most ? 30 : 9
            const measure = () => growth(pattern, piece, [head, tail], length)
            const grown = measure()
            // Whatever else the machine does, it does not do it three times.
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
