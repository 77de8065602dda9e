/** One set of weights and of icons: over all sources of the dashboard, so that no part has its own. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '../../src/dashboard')

/** The sources with one of these endings, without packages. */
const sources = (ending: RegExp) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(file => ending.test(file) && !file.includes('node_modules'))
    .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }))

/** CSS and code without comments. */
const bare = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '')

/** The weight of each `font-weight` and of each `font` that is more than one word. */
const weightsOf = (css: string): string[] => {
  const own = [...css.matchAll(/font-weight:\s*([^;}]+)/g)].map(([, value = '']) => value.trim())
  const short = [...css.matchAll(/[\s{;]font:\s*([^;}]+)/g)].map(([, value = '']) => value.trim())
  return [
    ...own,
    ...short.flatMap(value => /\b(?:bold\w*|lighter|[1-9]\d\d)\b(?!%)|var\(--weight-\w+\)/.exec(value)?.[0] ?? []),
  ]
}

t.test('weights are tokens', t => {
  t.strictSame(weightsOf('a{font:600 1em x;font-weight:bold}b{font: var(--weight-text) 1em x}c{font:inherit}'), [
    'bold',
    '600',
    'var(--weight-text)',
  ])
  const tokens = readFileSync(join(root, 'style/tokens.css'), 'utf8')
  const named = [...tokens.matchAll(/--weight-(\w+): (\d+);/g)].map(([, name, weight]) => [name, weight])
  t.strictSame(named, [
    ['title', '600'],
    ['control', '500'],
    ['text', '400'],
  ])
  const allowed = new Set(named.map(([name]) => `var(--weight-${name})`))
  const styles = sources(/\.css$/)
  t.ok(styles.length > 20, `${styles.length} style sheets`)
  for (const { file, text } of styles) {
    t.strictSame(
      weightsOf(bare(text)).filter(weight => !allowed.has(weight)),
      [],
      file,
    )
  }
  t.strictSame(
    sources(/\.tsx$/).flatMap(({ file, text }) => (/fontWeight/.test(text) ? file : [])),
    [],
    'no weight in code',
  )
  t.end()
})

/** Arrows, signs of mathematics, shapes and dingbats. */
const SIGNS = /[\u2190-\u22ff\u25a0-\u27bf\u2900-\u2bff×]/gu

/** A character that screen readers skip, such as an exclamation mark before a problem. */
const HIDDEN_SIGN = /aria-hidden>\s*[^\w\s{<]+\s*</g

/** What is a character there, and no picture. */
const CHARACTERS: Record<string, string> = {
  'ui/diff.tsx': 'spaces that are shown',
  'editor/field/invisible.ts': 'spaces that are shown',
  'editor/field/translation-field.tsx': 'ends of lines that are shown',
}

/** The way forward of an empty place, by the file: it stands above. */
const BESIDE: Record<string, string> = {
  'history/commits.tsx': 'the filters',
  'team/invitations-page.tsx': 'the form that invites',
}

t.test('no two empty places have the same picture, and each has a way forward', t => {
  const empties = sources(/\.tsx$/).flatMap(({ file, text }) =>
    text
      .split('<Empty')
      .slice(1)
      .map(use => ({ file, use: use.slice(0, 400) })),
  )
  t.ok(empties.length > 10, `${empties.length} empty places`)
  const pictures = empties.flatMap(({ use }) => /^\s+icon=\{<(\w+)/.exec(use)?.[1] ?? [])
  t.ok(pictures.length > 3)
  t.strictSame(pictures, [...new Set(pictures)])
  const bare = empties.filter(({ use }) => !use.includes('action=')).map(({ file }) => file)
  t.strictSame(bare.sort(), Object.keys(BESIDE).sort(), 'without a button')
  t.end()
})

t.test('no text sign stands for an icon', t => {
  t.match('a ✓ b → c', SIGNS)
  t.match('<span aria-hidden>! </span>', HIDDEN_SIGN)
  for (const { file, text } of sources(/\.(tsx?|css)$/)) {
    if (file in CHARACTERS || /^api\/(?:late-)?client\.ts$/.test(file)) continue
    t.strictSame(bare(text).match(SIGNS) ?? [], [], file)
    t.strictSame(text.match(HIDDEN_SIGN) ?? [], [], file)
  }
  t.end()
})
