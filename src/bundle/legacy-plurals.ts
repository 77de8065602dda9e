/** i18next's plural suffixes of JSON v1 to v3, by language, and whether a body uses them. */
import { FORMS } from './message.ts'
import type { PlaceTree } from './place.ts'

/** A language family's suffixes: format v2's sample counts and v3's indexes. */
interface Suffixes {
  languages: string
  v2: string
  v3: string
}

/** Languages with numeric plural suffixes, measured with i18next 20 (`compatibilityJSON`). Others used `K_plural`. */
const FAMILIES: readonly Suffixes[] = [
  { languages: 'ja zh ko vi th id fa ka km', v2: '1', v3: '0' },
  { languages: 'ru uk pl cs sk hr sr bs be', v2: '1 2 5', v3: '0 1 2' },
  { languages: 'lt', v2: '1 2 10', v3: '0 1 2' },
  { languages: 'lv', v2: '0 1 2', v3: '0 1 2' },
  { languages: 'ro', v2: '1 2 20', v3: '0 1 2' },
  { languages: 'sl', v2: '1 2 3 5', v3: '0 1 2 3' },
  { languages: 'ar', v2: '0 1 2 3 11 100', v3: '0 1 2 3 4 5' },
  { languages: 'he', v2: '1 2 20 21', v3: '0 1 2 3' },
  { languages: 'mt', v2: '1 2 11 20', v3: '0 1 2 3' },
  { languages: 'ga', v2: '1 2 3 7 11', v3: '0 1 2 3 4' },
  { languages: 'cy', v2: '1 2 3 8', v3: '0 1 2 3' },
  { languages: 'gd', v2: '1 2 3 20', v3: '0 1 2 3' },
]

const BY_LANGUAGE = new Map(
  FAMILIES.flatMap(({ languages, v2, v3 }) => languages.split(' ').map(language => [language, [v2, v3]] as const)),
)

/** The rule that these plurals break. */
export const OLD_PLURALS =
  'These are plurals of i18next JSON v1-v3; use the v4 suffixes, such as _one and _other (i18next-v4-format-converter converts files)'

const PLURAL = '_plural'

/**
 * The names of leaves that are v1-v3 plurals of their siblings:
 * - `K_plural` beside `K`, unless `K` has a v4 form: that pair is v3's documented plural
 * - `K_plural_2` beside `K` (v1)
 * - `K_0`, `K_1`, `K_2`: exactly the language's suffixes, `{{count}}` in a value, no v4 form of `K`, since steps and
 * contexts (`step_0`) are honest keys
 */
export function findLegacyPlurals(tree: PlaceTree, language: string): string[] {
  const found: string[] = []
  const tables = BY_LANGUAGE.get(language.toLowerCase()) ?? BY_LANGUAGE.get(language.split('-')[0]!.toLowerCase())
  const numbered = new Map<string, { suffixes: string[]; counts: boolean }>()
  for (const entry of tree.entries()) {
    const { base, text } = entry
    if (text === undefined) continue
    if (base.endsWith(PLURAL)) {
      const key = entry.key.slice(0, -PLURAL.length)
      if (tree.has(key) && !hasV4Form(tree, key)) found.push(entry.key)
      continue
    }
    const digits = trailingDigits(base)
    if (digits === '') continue
    const key = entry.key.slice(0, -digits.length - 1)
    if (key.endsWith(PLURAL) && tree.has(key.slice(0, -PLURAL.length))) found.push(entry.key)
    if (!tables) continue
    let family = numbered.get(key)
    if (!family) numbered.set(key, (family = { suffixes: [], counts: false }))
    family.suffixes.push(digits)
    family.counts ||= hasCount(text)
  }
  for (const [key, { suffixes, counts }] of numbered) {
    const set = suffixes.sort((a, b) => Number(a) - Number(b)).join(' ')
    if (counts && tables?.includes(set) && !hasV4Form(tree, key)) found.push(`${key}_${suffixes[0]}`)
  }
  return found
}

const hasV4Form = (tree: PlaceTree, base: string): boolean => FORMS.some(form => tree.has(`${base}_${form}`))

function trailingDigits(name: string): string {
  let start = name.length
  while (start > 0 && name.charCodeAt(start - 1) >= 0x30 && name.charCodeAt(start - 1) <= 0x39) start--
  return start > 0 && name[start - 1] === '_' ? name.slice(start) : ''
}

const hasCount = (text: string): boolean => /\{\{-?\s*count\b/.test(text)
