/** Glossaries as TBX-Basic (ISO 30042:2019): one concept a term. */
import { Failure } from '../bundle/errors.ts'
import { xmlText } from '../bundle/tmx.ts'
import type { Glossary, TermWords } from './glossary.ts'
import { readXml, type XmlElement } from './xml-reader.ts'

/** Begins a note with what TBX-Basic has no element for. */
const FLAGS = 'Parlance: '
/** Concepts, languages and terms in TBX of 2019 and of 2008. */
const [CONCEPT, LANGUAGE, TERM] = [/^(?:concept|term)Entry$/, /^lang(?:Sec|Set)$/, /^(?:termSec|n?tig)$/]

/** @param source the language of the terms */
export function writeTbx(terms: Glossary, source: string): string {
  const entries = terms.map(({ term, note, caseSensitive, keep, translations = {} }, at) => {
    const flags = [caseSensitive ? 'caseSensitive' : [], keep ? 'keep' : []].flat()
    const own = termSec(term, 'preferred', flags.length > 0 ? `<note>${FLAGS}${flags.join(', ')}</note>` : '')
    const sections = Object.entries(translations).map(([language, { use = [], avoid = [] }]) => {
      const sections = [
        ...use.map((word, at) => termSec(word, at === 0 ? 'preferred' : 'admitted')),
        ...avoid.map(word => termSec(word, 'deprecated')),
      ]
      return langSec(language, sections.join(''))
    })
    const definition = note === undefined ? '' : `<descrip type="definition">${xmlText(note)}</descrip>\n`
    return `<conceptEntry id="c${at + 1}">\n${definition}${langSec(source, own)}${sections.join('')}</conceptEntry>\n`
  })
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<tbx type="TBX-Basic" style="dca" xml:lang="${xmlText(source)}" xmlns="urn:iso:std:iso:30042:ed-2">\n` +
    '<tbxHeader><fileDesc><sourceDesc><p>Glossary of Parlance</p></sourceDesc></fileDesc></tbxHeader>\n' +
    `<text><body>\n${entries.join('')}</body></text>\n</tbx>\n`
  )
}

const langSec = (language: string, terms: string): string =>
  `<langSec xml:lang="${xmlText(language)}">\n${terms}</langSec>\n`

const termSec = (term: string, status: 'preferred' | 'admitted' | 'deprecated', more = ''): string =>
  `<termSec><term>${xmlText(term)}</term>` +
  `<termNote type="administrativeStatus">${status}Term-admn-sts</termNote>${more}</termSec>\n`

/** A term while concepts with the same term are joined. */
interface ReadTerm {
  term: string
  note?: string
  caseSensitive?: true
  keep?: true
  translations: Record<string, { use: string[]; avoid: string[] }>
}

/**
 * Terms to check. Concepts with the same term become one, and admitted synonyms terms of their own.
 * @param language of the terms, by default that of the file @throws Failure `unfit` naming the culprit
 */
export function readTbx(text: string, language: string | null): object[] {
  const root = readXml(text)
  if (root.name !== 'tbx' && root.name !== 'martif') {
    throw new Failure('unfit', `The root element must be <tbx>, as TBX has it, not <${root.name.slice(0, 40)}>.`)
  }
  const source = language ?? (languageOf(root) || 'en')
  const found = new Map<string, ReadTerm>()
  for (const [at, concept] of all(root, CONCEPT).entries()) addConcept(concept, at, source, found)
  return [...found.values()]
}

/** Some tools write `lang`, and `pt_BR` for `pt-BR`. */
const languageOf = ({ attributes }: XmlElement): string =>
  (attributes.get('xml:lang') ?? attributes.get('lang') ?? '').replaceAll('_', '-')

function addConcept(concept: XmlElement, at: number, source: string, found: Map<string, ReadTerm>): void {
  const sections = concept.children.filter(({ name }) => LANGUAGE.test(name))
  const own =
    sections.find(one => languageOf(one) === source) ?? sections.find(one => languageOf(one).startsWith(`${source}-`))
  if (!own) {
    const name = JSON.stringify(concept.attributes.get('id') ?? String(at + 1))
    throw new Failure('unfit', `The concept ${name} has no term in "${source}", the language of the terms.`)
  }
  const note = [definitionIn(concept), definitionIn(own)].find(text => text !== '')
  const { use, terms } = wordsOf(own)
  for (const term of use) {
    const known: ReadTerm = found.get(term) ?? { term, translations: Object.create(null) }
    found.set(term, known)
    if (note !== undefined) known.note ??= note
    const flags = terms.get(term)!.children.find(one => one.name === 'note' && one.text.startsWith(FLAGS))?.text ?? ''
    if (flags.includes('caseSensitive')) known.caseSensitive = true
    if (flags.includes('keep')) known.keep = true
    for (const section of sections) {
      if (section === own) continue
      const words = wordsOf(section)
      const before: TermWords = known.translations[languageOf(section)] ?? {}
      const joined = [...new Set([...(before.use ?? []), ...words.use])]
      const avoid = [...(before.avoid ?? []), ...words.avoid].filter(word => !joined.includes(word))
      known.translations[languageOf(section)] = { use: joined, avoid: [...new Set(avoid)] }
    }
  }
}

/** The words of a language by status: preferred ones first. */
function wordsOf(section: XmlElement) {
  const [preferred, admitted, avoid] = [[], [], []] as [string[], string[], string[]]
  const terms = new Map<string, XmlElement>()
  for (const one of all(section, TERM)) {
    const term = all(one, /^term$/)[0]?.text.trim() ?? ''
    if (term === '') continue
    const isStatus = ({ name, attributes }: XmlElement) =>
      name === 'administrativeStatus' || attributes.get('type') === 'administrativeStatus'
    const status =
      all(one, /^(?:termNote|administrativeStatus)$/)
        .find(isStatus)
        ?.text.trim() ?? ''
    terms.set(term, one)
    const list = /^(?:deprecated|superseded)/.test(status) ? avoid : /^preferred/.test(status) ? preferred : admitted
    list.push(term)
  }
  return { use: [...preferred, ...admitted], avoid, terms }
}

function definitionIn(element: XmlElement): string {
  const isOne = ({ name, attributes }: XmlElement) =>
    name === 'definition' || (name === 'descrip' && attributes.get('type') === 'definition')
  const outside = element.children.filter(({ name }) => !LANGUAGE.test(name) && !TERM.test(name))
  const found = outside.flatMap(one => [one, ...one.children]).find(isOne)
  return (found?.text ?? '').trim()
}

/** The elements of a name below another one, outside of each other. */
function all({ children }: XmlElement, name: RegExp): XmlElement[] {
  return children.flatMap(child => (name.test(child.name) ? [child] : all(child, name)))
}
