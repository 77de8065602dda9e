/** How the words of a language are inflected, as far as a light stemmer needs it. Texts are folded, see `fold-word.ts`. */

/** What a word loses. All endings are without diacritics, except in Arabic and Cyrillic. */
export interface Inflection {
  /** Endings in the order in which they go, at most one of each list: the longest that fits. */
  endings: readonly (readonly string[])[]
  /** Beginnings, likewise. */
  beginnings?: readonly string[]
  /** Minimum letters that stay, perhaps by ending. */
  least: number | ((ending: string) => number)
  /** Whether an ending may follow what is left. */
  fits?: (ending: string, left: string) => boolean
  /** What sounds differently before an ending: `kitab-` is `kitap`. */
  level?: (stem: string) => string
}

const list = (text: string): string[] => text.split(' ').sort((a, b) => b.length - a.length)

const VOWEL = /[aeiouy]$/

const english: Inflection = {
  endings: [list('s es ies')],
  least: 3,
  fits: (ending, left) =>
    ending === 's' ? !/[suix]$/.test(left) : ending === 'es' ? /(?:s|x|z|ch|sh)$/.test(left) : left.length > 1,
  level: stem => stem.replace(/y$/, ''),
}

const german: Inflection = {
  endings: [list('ern ers em en er es e n s ens o os')],
  least: 3,
  fits: (ending, left) => ending !== 's' || (left.length > 3 && !/[aeious]$/.test(left)),
  level: stem => stem.replace(/ss$/, 's'),
}

const finnish: Inflection = {
  endings: [
    list('kin kaan ko nsa mme nne ni si'),
    list(
      'n a t ta tta ssa sta lla lta lle ksi ja ia ita jen ien iden itten ten issa ista illa ilta ille iksi itta an en in ' +
        'on un yn han hen hin hon hun hyn seen siin ihin',
    ),
  ],
  least: ending => (/^[tj]a$/.test(ending) ? 4 : 3),
  fits: (ending, left) => {
    if (/^[aeiouy]n$/.test(ending)) return left.endsWith(ending[0]!)
    if (ending === 'ja') return /[oeuy]$/.test(left)
    if (ending === 'sta') return left.length < 5 || !/[uy]$/.test(left)
    return !/^(?:a|t|n|ta)$/.test(ending) || VOWEL.test(left) || (ending === 'ta' && /[lnrs]$/.test(left))
  },
  level: stem =>
    stem
      .replace(/([aeouy])i$/, '$1')
      .replace(/ee$/, 'e')
      .replace(/(?<=...)[aeiouy]$/, '')
      .replace(/ks$/, 's')
      .replace(/([uy])d$/, '$1s')
      .replace(/nn$/, 'nt')
      .replace(/mm$/, 'mp')
      .replace(/ng$/, 'nk')
      .replace(/(.)\1$/, '$1'),
}

const polish: Inflection = {
  endings: [
    list(
      'owi ami iami ach iach om iom ow ie iu em iem a ia e i u y o io ego emu ymi ych imi ich ej iej ym im owie owac uj uje owania owanie owaniu',
    ),
  ],
  least: 3,
  level: stem => stem.replace(/([^aeiouy])e([klrn])$/, '$1$2').replace(/ic$/, 'ik').replace(/([nks])c$/, '$1t'),
}

const TURKISH_AFTER_VOWEL = /^(?:y[aeiu]|s[iu]|n[iuae]|n[iu]n|n[iu]z|m[iu]z|m|n|nd[ae]|nd[ae]n)$/
const TURKISH = list(
  'ler lar leri lari im in um un i u e a si su imiz iniz umuz unuz miz niz muz nuz m n de da te ta den dan ten tan nin ' +
    'nun ye ya yi yu ne na ni nu nde nda nden ndan ki mek mak',
)
const turkish: Inflection = {
  endings: [TURKISH, TURKISH, TURKISH, TURKISH, TURKISH],
  least: ending => (/^l[ae]/.test(ending) ? 2 : 3),
  fits: (ending, left) => {
    if (TURKISH_AFTER_VOWEL.test(ending)) return VOWEL.test(left)
    if (/^t[ae]n?$/.test(ending)) return /[fstkchp]$/.test(left)
    if (ending === 'ki') return /(?:d[ae]|t[ae]|[iu]n)$/.test(left)
    return !/^[aeiu]/.test(ending) || !VOWEL.test(left)
  },
  level: stem => stem.replace(/b$/, 'p').replace(/d$/, 't').replace(/g$/, 'k'),
}

const ARABIC = list('اتكم اتك اتها اته اتنا اتهم اتي تكم تك تها ته تنا تهم تي كم ها هم نا ات ان ون ين تين تان يه ه ي ك')
const arabic: Inflection = {
  beginnings: list('ال وال بال كال فال لل ولل'),
  endings: [ARABIC, ARABIC],
  least: ending => (/^(?:ه|ات|ت.+)$/.test(ending) ? 2 : 3),
}

const french: Inflection = { endings: [list('s es e er ez ent ee ees x aux ons ant')], least: 3 }
const romance: Inflection = { endings: [list('s es as os a o e i ns is x aux')], least: 3 }
const dutch: Inflection = { endings: [list('en s e n')], least: 3, level: stem => stem.replace(/(.)\1$/, '$1') }
const nordic: Inflection = { endings: [list('arna erna orna ene ar er or en et na n t a e s')], least: 3 }
const slavic: Inflection = {
  endings: [
    list(
      'ами ями ов ев ах ях ом ем ои еи ыи ии ая яя ое ее ые ие ого его ому ему ых их ым им ую юю а я у ю ы и і о е є ь',
    ),
  ],
  least: 3,
}
const czech: Inflection = { endings: [list('ami emi ach ech ich um em ou ove ovi ho mu a e i o u y')], least: 3 }

/** By language, without region. */
export const INFLECTIONS: Readonly<Record<string, Inflection>> = {
  ...{ en: english, de: german, fi: finnish, pl: polish, tr: turkish, ar: arabic },
  ...{ fr: french, es: romance, pt: romance, it: romance, ca: romance, nl: dutch },
  ...{ sv: nordic, da: nordic, nb: nordic, no: nordic, ru: slavic, uk: slavic, be: slavic, cs: czech, sk: czech },
}
