/**
 * Measures a search of the translation memory among 150,000 texts: its 99th percentile, beside a look at every text,
 * the memory of texts and index, and a search after a bundle changed; exits with 1 when a limit is missed.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { maskText } from '../../src/memory/mask-text.ts'
import { MemoryStore } from '../../src/memory/memory-store.ts'
import { countTrigrams, sharedTrigrams, similarity, trigramCount } from '../../src/memory/trigrams.ts'
import { processorTime } from '../processor-time.ts'
import { QUICK, ROUNDS } from './harness.ts'
import { bounded, compared, report } from './report.ts'

const PROJECTS = 3
const NAMESPACES = 50
const KEYS = 1_000
const SEARCHES = QUICK ? 200 : 1_000
/** Searches of the other side in a round: each looks at all texts, which lasts half a second. */
const LOOKS = 2

let seed = 20_261_127
/** The same numbers in each run. */
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

const pick = <T>(of: readonly T[], at = random()): T => of[Math.floor(at * of.length)]!
const SYLLABLES = 'ta re in con ver sa ti mo de pro lec ent age ing able ed un ch st er ly is on al'.split(' ')
const WORDS = Array.from({ length: 4_000 }, (_, at) =>
  Array.from({ length: 1 + Math.min(3, Math.floor(at / 150)) }, () => pick(SYLLABLES)).join(''),
)
/** As in prose, a few words are in most sentences. */
const word = () => pick(WORDS, random() ** 3)

function sentence(): string {
  const words = Array.from({ length: 1 + Math.floor(random() ** 2 * 18) }, word)
  if (random() < 0.2) words.splice(Math.floor(random() * words.length), 0, '{{name}}')
  return words.join(' ')
}

const store = new MemoryStore({ organization: 2 ** 30, all: 2 ** 30 })
const languages = ['en', 'de']
const projects = Array.from({ length: PROJECTS }, (_, at) => ({ slug: `web${at}`, sourceLanguage: 'en' }))
const folders = projects.flatMap(({ slug }) => languages.map(language => ({ project: slug, language, id: '1' })))
const texts: string[] = []

function fileOf(language: string): Buffer {
  const rows = Array.from({ length: KEYS }, (_, at) => [`key${at}`, language === 'en' ? sentence() : `Text ${at}`])
  if (language === 'en') texts.push(...rows.map(([, text]) => text!))
  return Buffer.from(JSON.stringify(Object.fromEntries(rows)))
}

const put = (folder: (typeof folders)[number], namespace: string, id: string) => {
  const file = { folder, namespace, id, interpolation: undefined, bytes: fileOf(folder.language) }
  store.put('acme', file, languages)
}

const search = (source: string) => store.search('acme', { source, from: 'en', to: 'de', projects: null, limit: 5 })

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes of heap and typed arrays after a collection. */
function used(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const before = used()
store.changed('acme', projects, folders)
const readFrom = processorTime()
for (const folder of folders) {
  for (let at = 0; at < NAMESPACES; at++) put(folder, `ns${at}`, '1')
  store.loaded('acme', folder)
}
search('warm')
const built = processorTime() - readFrom
const bytes = used() - before - texts.reduce((sum, text) => sum + text.length + 24, 0)

/** A text with another word, or another text. */
const query = () => (random() < 0.7 ? pick(texts).replace(/\S+$/, word()) : sentence())

function percentile(): number {
  const times = Array.from({ length: SEARCHES }, () => {
    const source = query()
    const from = processorTime()
    search(source)
    return processorTime() - from
  })
  return times.sort((a, b) => a - b)[Math.floor(SEARCHES * 0.99)]!
}

/** Scores every text. */
const masked = texts.map(text => maskText(text, [undefined]).folded)
function lookAtAll(): number {
  const from = processorTime()
  for (let at = 0; at < LOOKS; at++) {
    const { folded } = maskText(query(), [undefined])
    const counts = countTrigrams(folded)
    const best = masked.map(text => similarity(sharedTrigrams(counts, text), trigramCount(folded), trigramCount(text)))
    if (Math.max(...best.slice(0, 1_000)) > 100) throw new Error('a score of more than 100')
  }
  return (processorTime() - from) / LOOKS
}

/** A search after a bundle of a thousand keys was replaced. */
function afterChange(round: number): number {
  const file = folders[0]!
  const bytes = fileOf('en')
  const from = processorTime()
  store.put('acme', { folder: file, namespace: 'ns0', id: `new${round}`, interpolation: undefined, bytes }, languages)
  search(query())
  return processorTime() - from
}

for (let at = 0; at < 100; at++) search(query())
const rounds = Array.from({ length: ROUNDS }, (_, round) => round)
const searches = rounds.map(percentile)
const looks = rounds.map(lookAtAll)
const changes = rounds.map(afterChange)
console.log(
  `${PROJECTS * NAMESPACES * KEYS} texts read and indexed in ${Math.round(built)} ms; estimated ${mebibytes(store.bytes)} MiB`,
)

process.exitCode = report('search', `${PROJECTS * NAMESPACES * KEYS} texts in each of two languages`, [
  bounded('99th percentile of a search', searches, 50, 'ms'),
  compared('a look at every text / 99th percentile of a search', looks, searches, { unit: 'ms', limit: 5 }),
  bounded('search after a bundle of 1,000 keys changed', changes, 100, 'ms'),
  bounded('memory of texts and index', [mebibytes(bytes)], 256, 'MiB'),
])

function mebibytes(count: number): number {
  return Math.round(count / 2 ** 20)
}
