/**
 * The case files: what i18next's own t() gives from what is read back, in the versions 23 to 27; and what must be
 * refused.
 */
import { readFileSync } from 'node:fs'
import * as i18next27 from 'i18next'
import * as i18next23 from 'i18next23'
import * as i18next24 from 'i18next24'
import * as i18next25 from 'i18next25'
import * as i18next26 from 'i18next26'
import t from 'tap'
import { overwrite } from '../../src/bundle/merge.ts'
import type { Message } from '../../src/bundle/message.ts'
import { Bundle } from '../../src/bundle/resource.ts'
import { FLAT, failure, file, fragment, NESTED, parsed } from './pushing.ts'

interface Case {
  name: string
  lang: string
  format: 'nested' | 'flat'
  file: string
  init: object
  model: { key: string; message: Message }[] | null
  expect: { key: string; options: object; result: unknown; resultByVersion?: Record<string, unknown> }[]
  status?: 422
}

type Translate = (key: string, options: object) => unknown
type Library = { createInstance(): { init(options: object): unknown; t: unknown } }
const VERSIONS: Record<string, Library> = {
  23: i18next23 as unknown as Library,
  24: i18next24 as unknown as Library,
  25: i18next25 as unknown as Library,
  26: i18next26 as unknown as Library,
  27: i18next27 as unknown as Library,
}

const folder = new URL('../cases/', import.meta.url)
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
const byKey = (rows: { key: string }[]) => [...rows].sort((a, b) => (a.key < b.key ? -1 : 1))

function translator(library: Library, { lang, init }: Case, resource: unknown): Translate {
  const instance = library.createInstance()
  const resources = { [lang]: { translation: resource } }
  instance.init({ lng: lang, fallbackLng: false, initAsync: false, initImmediate: false, ...init, resources })
  return instance.t as Translate
}

for (const found of read('index.json') as Case[]) {
  t.test(found.name, async t => {
    const format = found.format === 'flat' ? FLAT : NESTED
    const body = read(found.file)
    if (found.status === 422) {
      failure('unfit', () => fragment(body, format, found.lang))
      return
    }
    const bundle = overwrite(Bundle.empty(format), fragment(body, format, found.lang)).bundle
    const back = parsed(file(bundle), format)
    t.strictSame(byKey(bundle.rows()), byKey(found.model!))
    t.strictSame(back.rows(), bundle.rows())
    for (const [version, library] of Object.entries(VERSIONS)) {
      const before = translator(library, found, body)
      const after = translator(library, found, JSON.parse(file(bundle)))
      for (const { key, options, result, resultByVersion } of found.expect) {
        const label = `i18next ${version}: t(${JSON.stringify(key)}, ${JSON.stringify(options)})`
        const given = after(key, { ...options })
        t.same(given, resultByVersion ? resultByVersion[version] : result, label)
        t.same(given, before(key, { ...options }), `${label} as before the push`)
      }
    }
  })
}

t.test('refused and accepted', async t => {
  for (const { lang, resource, expect, why } of read('refuse-accept.json')) {
    const label = `${expect} ${why ?? ''} ${JSON.stringify(resource)}`
    if (expect === 'accept') t.doesNotThrow(() => fragment(resource, NESTED, lang), label)
    else
      t.ok(
        failure('unfit', () => fragment(resource, NESTED, lang)),
        label,
      )
  }
})
