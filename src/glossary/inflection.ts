/** How the words of a language are inflected, as far as a light stemmer needs it. Words are folded, see `stem.ts`. */

/** What a word loses. All endings are without diacritics, except in Arabic and Cyrillic. */
export interface Inflection {
  /** Endings by the order of their removal, at most one of each list: the longest that fits. */
  endings: readonly (readonly string[])[]
  /** Beginnings, likewise. */
  beginnings?: readonly string[]
  /** Minimum letters that stay, perhaps by ending. */
  least: number | ((ending: string) => number)
  /** Whether an ending may follow what is left. */
  fits?: (ending: string, left: string) => boolean
  /** What sounds differently before an ending: `kitab-` is `kitap`. @param ending the last one, perhaps none */
  level?: (stem: string, ending: string) => string
}

const list = (...texts: string[]): string[] =>
  texts
    .join(' ')
    .split(' ')
    .sort((a, b) => b.length - a.length)

const VOWEL = /[aeiouy]$/

const english: Inflection = {
  endings: [list('s es ies')],
  least: 3,
  fits: (ending, left) =>
    ending === 's' ? !/[suix]$/.test(left) : ending === 'es' ? /(?:s|x|z|ch|sh)$/.test(left) : left.length > 1,
  level: stem => stem.replace(/y$/, ''),
}

const german: Inflection = {
  endings: [list('ern ers em en er es e n ens o os a as um ums'), ['s']],
  least: ending => (/^[ao]s?$/.test(ending) ? 4 : 3),
  fits: (ending, left) => {
    if (ending === 's') return !/[eius]$/.test(left)
    // `Medium` and `Medien`, `Datum` and `Daten`, but neither `Raum` nor `Wachstum`.
    if (/^ums?$/.test(ending)) return /(?:[^at]|dat)$/.test(left)
    return ending !== 'n' || /[elr]$/.test(left)
  },
  level: stem => stem.replace(/ss$/, 's'),
}

const finnish: Inflection = {
  endings: [
    list('kin kaan ko nsa mme nne ni si'),
    list(
      'n a t ta tta ssa sta lla lta lle ksi ja ia ita jen ien iden itten ten',
      'issa ista illa ilta ille iksi itta an en in on un yn',
      'han hen hin hon hun hyn seen siin ihin',
    ),
  ],
  least: ending => (ending === 'kin' ? 5 : /^[tj]a$/.test(ending) ? 4 : 3),
  fits: (ending, left) => {
    if (ending === 'tta') return !/[uy]$/.test(left)
    if (/^[aeiouy]n$/.test(ending)) return left.endsWith(ending[0]!)
    if (ending === 'ja') return /[oeuy]$/.test(left)
    if (ending === 'sta') return left.length < 5 || !/[uy]$/.test(left)
    return !/^(?:a|t|n|ta)$/.test(ending) || VOWEL.test(left) || (ending === 'ta' && /[lnrs]$/.test(left))
  },
  level: stem =>
    stem
      .replace(/([aeouy])i$/, '$1')
      .replace(/ee$/, 'e')
      .replace(/([uy])v\1$/, '$1k$1')
      .replace(/(?<=...)[aeiouy]$/, '')
      .replace(/(?<=...)im$/, '')
      .replace(/ks$/, 's')
      .replace(/([uy])(?:d|tt?)$/, '$1s')
      .replace(/d$/, 't')
      .replace(/nn$/, 'nt')
      .replace(/mm$/, 'mp')
      .replace(/ng$/, 'nk')
      .replace(/(.)\1$/, '$1'),
}

const polish: Inflection = {
  endings: [
    list(
      'owi ami iami ach iach om iom ow ie iu em iem a ia e i',
      'u y o io ego emu ymi ych imi ich ej iej ym im owie',
      'owac uj uje owania owanie owaniu',
    ),
  ],
  least: 3,
  level: (stem, ending) =>
    stem
      .replace(/rz$/, 'r')
      .replace(/dz$/, ending.startsWith('i') ? 'd' : ending === 'e' ? 'g' : 'dz')
      .replace(/([^aeiouy])e([klrn])$/, '$1$2')
      .replace(/ic$/, 'ik')
      // `notatka` is `notatce`.
      .replace(ending === 'e' ? /(?<=[dlmnrtzʒ])c$/ : /$^/, 'k')
      .replace(ending === 'ie' ? /c$/ : /(?<!n)c$/, 't'),
}

const TURKISH_AFTER_VOWEL = /^(?:y[aeiu]|s[iu]|n[iuae]|n[iu]n|n[iu]z|m[iu]z|n|nd[ae]|nd[ae]n)$/
const TURKISH = list(
  'ler lar leri lari im in um un i u e a si su',
  'imiz iniz umuz unuz miz niz muz nuz n',
  'de da te ta den dan ten tan nin nun ye ya yi yu',
  'ne na ni nu nde nda nden ndan ki mek mak',
)
const turkish: Inflection = {
  endings: [TURKISH, TURKISH, TURKISH, TURKISH, TURKISH],
  least: ending => (/^l[ae]/.test(ending) ? 2 : 3),
  fits: (ending, left) => {
    if (TURKISH_AFTER_VOWEL.test(ending)) return VOWEL.test(left)
    // "Mine" only after a plural or a softened consonant: `konum` is no `konu`.
    if (/^[iu]m$/.test(ending)) return /(?:l[ae]r|[bcg])$/.test(left)
    if (/^t[ae]n?$/.test(ending)) return /[fstkchp]$/.test(left)
    if (ending === 'ki') return /(?:d[ae]|t[ae]|[iu]n)$/.test(left)
    return !/^[aeiu]/.test(ending) || !VOWEL.test(left)
  },
  level: stem =>
    stem
      .replace(/(?<=..)b$/, 'p')
      .replace(/(?<=..)d$/, 't')
      .replace(/(?<=..)g$/, 'k')
      // A narrow vowel is lost before an ending: `resim` is `resm-`.
      .replace(/(?<=..[^aeiu])[iu](?=[mnrlt]$)/, ''),
}

const ARABIC = list('اتكم اتك اتها اته اتنا اتهم اتي تكم تك تها ته تنا تهم تي كم ها هم نا ات ان ون ين تين تان ه ي ك')
const arabic: Inflection = {
  beginnings: list('ال وال بال كال فال لل ولل'),
  endings: [ARABIC, ARABIC],
  least: ending => (ending === 'ي' ? 4 : /^(?:ه|ات|ت.+)$/.test(ending) ? 2 : 3),
}

const french: Inflection = {
  endings: [list('s x'), list('e er ez ee')],
  least: 3,
  level: stem => stem.replace(/(?<=..)au$/, 'al'),
}
const spanish: Inflection = { endings: [list('s es e')], least: 3, level: stem => stem.replace(/z$/, 'c') }
const portuguese: Inflection = {
  endings: [list('s es e ns is ao aos aes oes')],
  least: ending => (/^[ao][oe]/.test(ending) ? 2 : 3),
  // `canais` is `canal`, and `imagens` is `imagem`.
  level: (stem, ending) => (ending === 'is' ? `${stem}l` : ending === 'ns' ? `${stem}m` : stem),
}
const catalan: Inflection = { endings: [list('s es ns a e')], least: 3 }
const italian: Inflection = { endings: [list('a e i o')], least: 3, level: stem => stem.replace(/([cg])h$/, '$1') }
const dutch: Inflection = {
  endings: [['s'], list('en e')],
  least: 3,
  level: stem => stem.replace(/(.)\1$/, '$1').replace(/([aeou])\1(?=[^aeiou]$)/, '$1'),
}
const nordic: Inflection = {
  endings: [['s'], list('arna erna erne orna ene an na en et n'), list('are ere er ar or a e')],
  least: ending => (ending === 'n' ? 4 : 3),
  fits: (ending, left) => ending !== 'n' || /[lr]$/.test(left),
  level: stem =>
    stem
      .replace(/([^aeiouy])e([lrn])$/, '$1$2')
      .replace(/(?<=...)an$/, '')
      .replace(/mm$/, 'm'),
}
const slavic: Inflection = {
  endings: [
    list(
      'ами ями ов ев ів їв ах ях ам ям ом ем ои еи ыи ии ая яя ое ее ые ие ого его ому ему ых их ым им ую юю а я у ю ы и і о е є ь',
    ),
    list('и і ь'),
  ],
  least: 3,
  level: stem => stem.replace(/(?<=..[бвгджзклмнпрстфхцчшщ])[оеё](?=[кцнлр]$)/, ''),
}
const czech: Inflection = {
  endings: [list('ami emi ach ech ich um em ou ove ovi ho mu a e i o u y')],
  least: 3,
  level: stem => stem.replace(/(?<=.[^aeiouy])e(?=[klrnt]$)/, ''),
}
const hungarian: Inflection = {
  endings: [
    list('ban ben bol rol tol ba be ra re nak nek val vel hoz hez ert ig t at et ot'),
    list('k ak ek ok'),
    list('ja je jai jei a e o'),
  ],
  least: 3,
  fits: (ending, left) => !/^[tk]$/.test(ending) || /[aeiouylnsz]$/.test(left),
  level: stem => stem.replace(/(?<=...)(?:[aeo]t|(?<=[iuylnsz])t)$/, ''),
}
const hebrew: Inflection = { endings: [list('ימ ות ת ה'), ['יי', 'י']], least: 2 }
const persian: Inflection = { endings: [list('\u200cهایی \u200cهای \u200cها هایی های ها')], least: 2 }

/** By language, without region. */
export const INFLECTIONS: Readonly<Record<string, Inflection>> = {
  ...{ en: english, de: german, fi: finnish, pl: polish, tr: turkish, ar: arabic },
  ...{ fr: french, es: spanish, pt: portuguese, it: italian, ca: catalan, nl: dutch },
  ...{ sv: nordic, da: nordic, nb: nordic, no: nordic, ru: slavic, uk: slavic, be: slavic, cs: czech, sk: czech },
  ...{ hu: hungarian, he: hebrew, fa: persian },
}
