import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import t from 'tap'
import { amountOf, limitOf, translatesInto } from '../../src/machine/machine.ts'
import { MachineList } from '../../src/machine/machine-list.ts'
import { parseMachines } from '../../src/machine/parse-machines.ts'

const KEY = 'key-nobody-guesses'
const deepl = { name: 'DeepL', kind: 'deepl', key: KEY }
const parse = (...rows: unknown[]) => parseMachines(JSON.stringify(rows))

t.test('reads machines with defaults', async t => {
  const chat = { perMillionInputTokens: 1, perMillionOutputTokens: 4, currency: 'USD' }
  const [one, free, local, azure] = parse(
    { ...deepl, languages: ['de'], monthlyLimit: 500_000 },
    { ...deepl, name: 'free', key: 'abc:fx' },
    { name: 'Ollama', kind: 'openai', url: 'http://127.0.0.1:11434/v1/', model: 'gemma3', timeoutSeconds: 5, batch: 1 },
    {
      name: 'azure',
      kind: 'openai',
      url: 'https://x.openai.azure.com/openai/v1',
      model: 'm',
      key: KEY,
      price: chat,
      monthlyLimit: 2,
    },
  )
  t.match(one, { url: 'https://api.deepl.com', timeoutMs: 60_000, concurrency: 4, batch: 20, monthlyLimit: 500_000 })
  t.equal(one!.key!(), KEY)
  t.match(
    [free, local],
    [{ url: 'https://api-free.deepl.com' }, { url: 'http://127.0.0.1:11434/v1', timeoutMs: 5000, key: undefined }],
  )
  t.strictSame(
    [translatesInto(one!, 'de-AT'), translatesInto(one!, 'pl'), translatesInto(free!, 'pl')],
    [true, false, true],
  )
  t.strictSame([limitOf(one!), limitOf(azure!), limitOf(free!)], [500_000, 2_000_000, undefined])
  const usage = { characters: 7, inputTokens: 100, outputTokens: 10 }
  t.strictSame([amountOf(one!, usage), amountOf(azure!, usage)], [7, 140], 'characters, and millionths of a dollar')
  t.notMatch(JSON.stringify([one, azure]) + inspect([one, azure], { depth: 9 }), KEY)
})

t.test('names faults without values', async t => {
  for (const [row, words] of [
    ['x', 'machine 1 must be an object'],
    [{ ...deepl, kind: 'bing' }, 'has the unknown kind "bing": use one of openai, anthropic'],
    [{ ...deepl, kind: KEY.repeat(3) }, 'has the unknown kind "…"'],
    [{ ...deepl, kye: 'x' }, 'has the unknown member "kye"'],
    [{ ...deepl, [KEY.repeat(3)]: 'x' }, 'has the unknown member "…"'],
    [{ ...deepl, key: `${KEY} ` }, '"key" must be 1 to 1000 characters without spaces'],
    [{ ...deepl, key: 5 }, '"key" must be'],
    [{ name: 'x', kind: 'deepl' }, 'machine 1 ("x") of kind deepl needs "key"'],
    [{ name: 'x', kind: 'openai' }, 'needs "model"'],
    [{ name: 'x', kind: 'apertium' }, 'needs "url"'],
    [{ ...deepl, model: 'x' }, 'has no "model"'],
    [{ ...deepl, name: 'memory' }, '"name" must be'],
    [{ ...deepl, name: 'a/b' }, '"name" must be'],
    [{ ...deepl, url: `https://u:${KEY}@x.example` }, '"url" must be an http or https URL without user'],
    [{ ...deepl, url: 'file:///etc/passwd' }, '"url" must be'],
    [{ ...deepl, languages: [] }, '"languages" must be'],
    [{ ...deepl, languages: ['x_y'] }, '"languages.0" must be'],
    [{ ...deepl, monthlyLimit: 0 }, '"monthlyLimit" must be'],
    [{ ...deepl, price: { currency: 'USD' } }, 'needs "price.perMillionCharacters"'],
    [
      { ...deepl, price: { currency: 'USD', perMillionCharacters: 1, perMillionInputTokens: 1 } },
      'has no "price.perMillionInputTokens"',
    ],
    [{ ...deepl, price: { currency: 'USD', perToken: 1 } }, 'has the unknown member "price.perToken"'],
  ] as const) {
    t.throws(() => parse(row), { code: 'invalid', message: new RegExp(words.replace(/[()[\]".{}]/g, '\\$&')) }, words)
    try {
      parse(row)
    } catch (error) {
      t.notMatch(inspect(error, { depth: 9 }), KEY)
    }
  }
  t.throws(() => parse(deepl, deepl), { message: /two machines with the name "DeepL"/ })
  t.throws(() => parse(...Array(21).fill(deepl)), { message: /a list of at most 20/ })
  t.throws(() => parseMachines('{}'), { message: /must be a list/ })
  t.throws(() => parseMachines(`[{"key":"${KEY}" "x"}]`), { message: 'The file of machines is not valid JSON.' })
})

t.test('reads the file when it changes, and only one that others cannot read', async t => {
  const folder = t.testdir()
  const file = join(folder, 'machines.json')
  const list = new MachineList(file, false)
  t.strictSame(await list.read(), [], 'no file')
  await t.rejects(new MachineList(file, true).read(), { code: 'invalid', message: /cannot be read \(ENOENT\)/ })
  writeFileSync(file, JSON.stringify([deepl]), { mode: 0o600 })
  t.match(await list.read(), [{ name: 'DeepL' }])
  writeFileSync(file, JSON.stringify([{ ...deepl, name: 'Other' }]))
  utimesSync(file, 1, 1)
  t.match(await list.read(), [{ name: 'Other' }])
  for (const mode of [0o640, 0o604, 0o620, 0o660]) {
    chmodSync(file, mode)
    await t.rejects(
      list.read(),
      { code: 'invalid', message: /others may read or write it: chmod 600/ },
      mode.toString(8),
    )
  }
  chmodSync(file, 0o400)
  t.match(await list.read(), [{ name: 'Other' }])
  chmodSync(file, 0o600)
  writeFileSync(file, ' '.repeat(300_000))
  await t.rejects(list.read(), { message: /more than 262144 bytes/ })
  mkdirSync(join(folder, 'real'))
  writeFileSync(join(folder, 'real/list'), '[]', { mode: 0o600 })
  symlinkSync('real/list', join(folder, 'link'))
  t.strictSame(await new MachineList(join(folder, 'link'), true).read(), [])
  await t.rejects(new MachineList(join(folder, 'real'), true).read())
})

t.test('an engine translates into the usual script of a language, a chat model into each', async t => {
  const tags = [
    'sr',
    'sr-Cyrl',
    'sr-RS',
    'sr-Latn',
    'sr-ME',
    'uz',
    'uz-Cyrl',
    'pa-Arab',
    'zh-Hant',
    'zh-TW',
    'de-AT',
    'iw',
  ]
  const into = (kind: 'google' | 'openai', languages?: string[]) =>
    tags.filter(tag => translatesInto({ kind, languages }, tag))
  t.strictSame(into('google'), ['sr', 'sr-Cyrl', 'sr-RS', 'uz', 'zh-Hant', 'zh-TW', 'de-AT', 'iw'])
  t.strictSame(into('openai'), tags)
  t.strictSame(into('google', ['sr-Latn', 'de', 'he']), ['de-AT', 'iw'])
})
