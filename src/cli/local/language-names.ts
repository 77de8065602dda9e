/** Names of languages on disk and on the server: `zh_CN` on disk is `zh-CN` on the server. */
import { checkLanguage } from '../../bundle/names.ts'
import { checkUsage, usage } from '../problem.ts'

const english = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
/** Languages of ISO 639 with the names of usual folders of code. */
const WORDS = new Set(['src', 'bin', 'new', 'nav', 'sid', 'men', 'rap', 'gay', 'was', 'her'])

/** Whether a name on disk is a language that ICU knows, or i18next's `dev`: `de`, `pt_BR`, `zh-Hans`. */
export function isLanguageName(name: string): boolean {
  const tag = name.replaceAll('_', '-')
  const [primary = '', ...parts] = tag.split(/-x-|-/)
  if (WORDS.has(primary) || !/^[a-z]{2,3}$/.test(primary) || !isTag(tag)) return false
  if (tag === 'dev') return true
  // Any word has the form of a script or variant: `en-messages` is no language.
  const known = [primary, ...parts.filter(part => part.length > 3).map(part => `${primary}-${part}`)]
  return known.every(one => english.of(one) !== undefined)
}

export function isTag(name: string): boolean {
  try {
    return checkLanguage(name) === name
  } catch {
    return false
  }
}

/** The probable tag for a name, for a hint: `german` is `de`. */
function likelyTag(name: string): string | undefined {
  const lower = name.toLowerCase().replaceAll(/[_@]/g, '-')
  const script = lower.replace(/-latin$/, '-latn').replace(/-cyrillic$/, '-cyrl')
  if (script !== lower || name.includes('@')) return canonical(script)
  // `zhtw`, and Android's `pt-rBR`.
  const [, language, region] = /^([a-z]{2})(?:-r?)?([a-z]{2})$/.exec(lower) ?? []
  if (language && isLanguageName(language)) return `${language}-${region!.toUpperCase()}`
  // A country in place of its language: `jp`.
  if (/^[a-z]{2}$/.test(lower)) return new Intl.Locale(`und-${lower}`).maximize().language
  if (isTag(name)) return name
  const [primary = ''] = lower.split('-')
  if (primary.length <= 3 && isLanguageName(primary)) return primary
  return NAMED.find(tag => english.of(tag)?.toLowerCase() === lower)
}

/** A tag in its usual case. POSIX names have the script behind the region: `uz_UZ@Latn` is `uz-Latn-UZ`. */
function canonical(tag: string): string | undefined {
  try {
    const [found] = Intl.getCanonicalLocales(tag.replace(/^([a-z]{2,3})-([a-z]{2})-([a-z]{4})$/, '$1-$3-$2'))
    return isTag(found!) ? found : undefined
  } catch {
    return undefined
  }
}

/** The tag of a word that apps use in place of a tag: `english`, `EN`, `deDE`. */
export function tagOfWord(name: string): string | undefined {
  const [, upper, language, region] = /^(?:([A-Z]{2})|([a-z]{2})([A-Z]{2}))$/.exec(name) ?? []
  const tag = upper?.toLowerCase() ?? (language && `${language}-${region}`)
  if (tag !== undefined) return isLanguageName(tag) ? tag : undefined
  return NAMED.find(one => english.of(one)?.toLowerCase() === name.toLowerCase())
}

const NAMED = (
  'ar,bg,bn,ca,cs,da,de,el,en,es,et,fa,fi,fr,he,hi,hr,hu,id,it,ja,ko,lt,lv,ms,nl,no,pl,pt,ro,ru,sk,sl,sr,sv,' +
  'th,tr,uk,ur,vi,zh'
).split(',')

/** Maps an app's languages between names on disk and tags. */
export class LanguageNames {
  readonly #tags: ReadonlyMap<string, string>
  readonly #names = new Map<string, string>()
  #underscores = false

  /** @param given `languageNames` of the config: tags by names on disk @throws Problem (exit 2) for a wrong tag */
  constructor(given: Readonly<Record<string, string>> = {}, file?: string) {
    this.#tags = new Map(Object.entries(given))
    for (const tag of this.#tags.values()) checked(tag, file)
    this.add([...this.#tags.keys()], file)
  }

  isGiven(name: string): boolean {
    return this.#tags.has(name)
  }

  /** The tag of a name; undefined if the name is not a language. */
  tagOf(name: string): string | undefined {
    const tag = this.#tags.get(name) ?? name.replaceAll('_', '-')
    return isTag(tag) ? tag : undefined
  }

  /** The tag of a name that must be a language. @throws Problem (exit 2) */
  needTag(name: string, file?: string): string {
    return this.tagOf(name) ?? checked(name, file)
  }

  /** Adds names on disk. @throws Problem (exit 2) with all languages of two names */
  add(names: readonly string[], file?: string): void {
    const twice: string[] = []
    for (const name of names) {
      const tag = this.tagOf(name)
      if (tag === undefined) continue
      const other = this.#names.get(tag)
      if (other !== undefined && other !== name) twice.push(`${other} and ${name} are both the language ${tag}`)
      this.#names.set(tag, name)
      this.#underscores ||= name.includes('_')
    }
    if (twice.length === 0) return
    throw usage(`${twice.join(', ')}.`, {
      file,
      hint: `Remove one of two, or list the names that count in "languages" of parlance.config.json.`,
    })
  }

  /** The name on disk. A language without files follows the spelling of the others. */
  nameOf(tag: string): string {
    return this.#names.get(tag) ?? (this.#underscores ? tag.replaceAll('-', '_') : tag)
  }
}

const checked = (tag: string, file: string | undefined): string =>
  checkUsage(() => checkLanguage(tag), { file, hint: hintFor(tag) })

/** The hint for a name that is not a tag. */
export const hintFor = (name: string): string =>
  `If it names a language, say which one: "languageNames": { ${JSON.stringify(name)}: "${likelyTag(name) ?? '…'}" } in parlance.config.json.`
