/** Why a translation of a machine is refused: a code with values for programs, and an English sentence of it. */

/** A reason to refuse a translation. */
export interface GateFault {
  code: GateFaultCode
  /** `few`, `ordinal_few`; absent of a text, and of a fault of the whole answer. */
  form?: string
  /** Placeholders, characters or words that the fault is about: the first {@link MOST_NAMED}. */
  names?: string[]
  /** The number of further ones. */
  more?: number
  /** Of `length`: the characters of the text, and their maximum. */
  length?: number
  max?: number
  /** Of `unstorable`, `full` and `no-place`: an English phrase. */
  detail?: string
}

type Phrase = (values: { names: string; length: number; max: number; detail: string }) => string

/** Faults of a text or form, after "the text" or "the form few". */
const OF_TEXTS = {
  'form-missing': () => 'is missing',
  'form-unwanted': () => 'is not wanted',
  empty: () => 'is empty',
  lacks: ({ names }) => `lacks ${names}`,
  adds: ({ names }) => `adds ${names}`,
  changes: ({ names }) => `changes ${names}`,
  repeats: ({ names }) => `repeats ${names}`,
  nesting: () => 'has tags that do not nest',
  length: ({ length, max }) => `has ${length} characters, and at most ${max} fit`,
  space: () => 'begins or ends with other white space than its source',
  control: ({ names }) => `has control characters that its source lacks: ${names}`,
  avoid: ({ names }) => `has words that the glossary forbids: ${names}`,
  term: ({ names }) => `lacks words of the glossary: ${names}`,
  'array-gap': ({ names }) => `comes after items of its array without a translation: ${names}`,
  unstorable: ({ detail }) => detail,
} as const satisfies Record<string, Phrase>

/** Faults of an answer, as sentences. */
const OF_ANSWERS = {
  'answer-no-json': () => 'the answer is not the JSON object that was asked for',
  'answer-members': () => 'the answer has other members than asked for',
  'answer-lacks': () => 'the answer lacks this text',
  'answer-texts': () => 'the answer has other texts than asked for',
  'answer-long': () => 'the answer is far longer than its source',
  'answer-number': () => 'the answer lacks the number of a plural form, or repeats it',
  full: ({ detail }) => detail.replace(/\.$/, ''),
  'no-place': ({ detail }) => detail.replace(/\.$/, ''),
} as const satisfies Record<string, Phrase>

export type GateFaultCode = keyof typeof OF_TEXTS | keyof typeof OF_ANSWERS
const PHRASES: Record<GateFaultCode, Phrase> = { ...OF_TEXTS, ...OF_ANSWERS }
export const GATE_FAULT_CODES = Object.keys(PHRASES) as [GateFaultCode]

/** Names that a fault lists, and characters of each. */
const MOST_NAMED = { names: 5, characters: 100 }

/** The names of a fault, within limits. */
export const namedIn = (all: readonly string[]): Pick<GateFault, 'names' | 'more'> => ({
  names: all.slice(0, MOST_NAMED.names).map(name => name.slice(0, MOST_NAMED.characters)),
  ...(all.length > MOST_NAMED.names && { more: all.length - MOST_NAMED.names }),
})

/** One sentence of all faults; empty without any. */
export function gateSentence(faults: readonly GateFault[]): string {
  const said = faults.reduce((said, fault, at) => {
    const before = faults[at - 1]
    const goesOn = fault.code === 'adds' && before?.code === 'lacks' && before.form === fault.form
    return said + (goesOn ? ` and ${predicateOf(fault)}` : `${at === 0 ? '' : '; '}${phraseOf(fault)}`)
  }, '')
  return said === '' ? '' : `${said}.`
}

function phraseOf(fault: GateFault): string {
  const subject = fault.form === undefined ? 'the text' : `the form ${fault.form}`
  return fault.code in OF_ANSWERS ? predicateOf(fault) : `${subject} ${predicateOf(fault)}`
}

function predicateOf({ code, names = [], more = 0, length = 0, max = 0, detail = '' }: GateFault): string {
  const values = { names: names.join(', ') + (more > 0 ? ` and ${more} more` : ''), length, max, detail }
  return PHRASES[code](values)
}
