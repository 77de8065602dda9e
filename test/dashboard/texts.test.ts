/**
 * The dashboard's own texts are an ordinary i18next project: accepted by a server, complete in every language, each
 * of them used, and no used one missing.
 */
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Checkout } from '../cli/checkout.ts'
import { startParlance } from '../cli/command.ts'

const root = join(import.meta.dirname, '../../src/dashboard')
const LANGUAGES = ['ar', 'de', 'en', 'ja', 'pl']

/** The namespaces with translations: a new room of the dashboard is English first. */
const begun = new Set(LANGUAGES.flatMap(of => (of === 'en' ? [] : readdirSync(join(root, 'locales', of)))))

t.test('`parlance status --fail-under 100` has nothing to say of them', async t => {
  const { server, acme, env } = await startParlance(t)
  const { name, sourceLanguage } = JSON.parse(readFileSync(join(root, 'project.json'), 'utf8'))
  const body = { name, slug: 'dashboard', sourceLanguage }
  await server.must('POST', '/api/projects', { key: acme.key, body })
  const checkout = new Checkout(t, { ...env, PARLANCE_PROJECT: 'dashboard' })
  for (const language of LANGUAGES) {
    for (const file of begun) {
      cpSync(join(root, 'locales', language, file), join(checkout.folder, 'locales', language, file))
    }
  }
  const pushed = await checkout.run('push')
  t.equal(pushed.code, 0, pushed.out + pushed.err)
  const { code, json } = await checkout.run('status --fail-under 100 --fail-on problems --json')
  t.strictSame(json?.languages.map(({ language }: { language: string }) => language).sort(), LANGUAGES)
  const { out } = await checkout.run('status --fail-under 100 --fail-on problems')
  t.equal(code, 0, out)
  const after = await checkout.run('pull --check')
  t.equal(after.code, 0, `they stand as Parlance writes them: ${after.out}${after.err}`)
})

/** Keys by namespace, as the code names them: nested ones with dots, plurals and contexts by what they begin with. */
const texts = new Map(
  readdirSync(join(root, 'locales/en')).map(file => {
    const keys = [...keysOf(JSON.parse(readFileSync(join(root, 'locales/en', file), 'utf8')))]
    return [file.replace(/\.json$/, ''), keys]
  }),
)

function* keysOf(texts: object, before = ''): Generator<string> {
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value === 'string') yield before + name
    else yield* keysOf(value, `${before}${name}.`)
  }
}

const code = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter(file => /\.tsx?$/.test(file) && !/node_modules|^api.client\.ts$/.test(file))
  .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }))

/** Whether a text is the one that code asks for as `name`, or a form of it. */
const isOf = (key: string, name: string) => key === name || key.startsWith(`${name}_`)

t.test('every text that the code names is there', async t => {
  let named = 0
  for (const { file, text } of code) {
    const own = [...text.matchAll(/useTranslation\((?:'([^']+)')?\)/g)].map(([, namespace = 'common']) => namespace)
    for (const [, given = ''] of text.matchAll(/\bt\(\s*'([^'\n]+)'/g)) {
      const [, namespace, name = ''] = /^(?:(\w+):)?(.+)$/.exec(given)!
      // Where `t` comes from elsewhere, any namespace may be meant.
      const places = namespace ? [namespace] : own.length > 0 ? own : [...texts.keys()]
      named++
      if (!places.some(place => texts.get(place)?.some(key => isOf(key, name)))) {
        t.fail(`${file} asks for '${given}', which is not in locales/en/${places.join('.json or ')}.json`)
      }
    }
  }
  t.ok(named > 50, `${named} names were found`)
})

t.test('every text is named by the code', async t => {
  const all = code.map(({ text }) => text).join('\n')
  const quoted = [...all.matchAll(/(['"])((?:(?!\1).)*)\1/g)]
  const literals = new Set(quoted.map(([, , name = '']) => name.replace(/^\w+:/, '')))
  const beginnings = [...all.matchAll(/`(?:\w+:)?([\w.]+)\$\{/g)].map(([, beginning = '']) => beginning)
  const isNamed = (key: string) =>
    beginnings.some(beginning => key.startsWith(beginning)) ||
    key.split('_').some((_, i, parts) => literals.has(parts.slice(0, i + 1).join('_')))
  for (const [namespace, keys] of texts) {
    t.strictSame(
      keys.filter(key => !isNamed(key)),
      [],
      `locales/en/${namespace}.json`,
    )
  }
})
