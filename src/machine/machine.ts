/** A machine translator that the operator lists, and how its use is counted. */

export const MACHINE_KINDS = ['openai', 'anthropic', 'deepl', 'google', 'libretranslate', 'apertium'] as const
export type MachineKind = (typeof MACHINE_KINDS)[number]

/** Prices for a million units, in one currency. */
export interface MachinePrice {
  /** ISO 4217, such as `USD`. */
  currency: string
  perMillionCharacters?: number | undefined
  perMillionInputTokens?: number | undefined
  perMillionOutputTokens?: number | undefined
}

/** A machine as `machines.json` lists it, with all defaults. */
export interface Machine {
  name: string
  kind: MachineKind
  /** Without a slash at its end. */
  url: string
  /** A function, so that no log and no answer has the key by mistake. */
  key?: (() => string) | undefined
  model?: string | undefined
  price?: MachinePrice | undefined
  /** The languages that it translates into; undefined for all. */
  languages?: readonly string[] | undefined
  /** In the currency of the price, else in characters. */
  monthlyLimit?: number | undefined
  /** Of one request, its answer included. */
  timeoutMs: number
  /** Requests at once. */
  concurrency: number
  /** Maximum of texts in one request. */
  batch: number
}

/** What a request used: characters of the texts that were sent, and tokens where the machine counts them. */
export interface MachineUsage {
  characters: number
  inputTokens: number
  outputTokens: number
}

export const NO_USAGE: MachineUsage = { characters: 0, inputTokens: 0, outputTokens: 0 }

export const addUsage = (a: MachineUsage, b: MachineUsage): MachineUsage => ({
  characters: a.characters + b.characters,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
})

/** What limits and counts are in: the currency of the price, else `characters`. */
export const unitOf = ({ price }: Machine): string => price?.currency ?? 'characters'

/** The name of a machine's count. A machine with another unit starts to count again. */
export const meterOf = (machine: Machine): string => `${machine.name}/${unitOf(machine)}`

/** Of a currency, counts have millionths: each is a whole number. */
const PARTS = 1_000_000
export const partsOfUnit = ({ price }: Machine): number => (price === undefined ? 1 : PARTS)

/** A use as a whole number of the meter, rounded up. */
export function amountOf({ price }: Machine, { characters, inputTokens, outputTokens }: MachineUsage): number {
  if (price === undefined) return characters
  const { perMillionCharacters = 0, perMillionInputTokens = 0, perMillionOutputTokens = 0 } = price
  // A price for a million units is the price of one unit in millionths.
  const exact =
    characters * perMillionCharacters + inputTokens * perMillionInputTokens + outputTokens * perMillionOutputTokens
  return Math.ceil(exact)
}

/** The limit as a whole number of the meter; undefined without one. */
export const limitOf = (machine: Machine): number | undefined =>
  machine.monthlyLimit === undefined ? undefined : Math.floor(machine.monthlyLimit * partsOfUnit(machine))

/** A number of the meter in the machine's unit. */
export const inUnit = (machine: Machine, amount: number): number => amount / partsOfUnit(machine)

/** Whether its texts go to a chat model, which reads notes and complaints beside them. */
export const isChatModel = ({ kind }: Pick<Machine, 'kind'>): boolean => kind === 'openai' || kind === 'anthropic'

/**
 * Whether a machine translates into a language: `de` in its list stands for `de-AT` too. Engines have one script for
 * each language but Chinese: Serbian in Latin letters would come in Cyrillic ones.
 */
export function translatesInto(machine: Pick<Machine, 'kind' | 'languages'>, language: string): boolean {
  const base = baseLanguage(language)
  const { languages } = machine
  if (languages !== undefined && !languages.includes(language) && !languages.includes(base)) return false
  return isChatModel(machine) || base === 'zh' || scriptOfTag(language) === scriptOfTag(base)
}

export const scriptOfTag = (tag: string): string | undefined => new Intl.Locale(tag).maximize().script

/** Old codes, which i18next and browsers still use. */
const OLD_CODES: Record<string, string> = { iw: 'he', in: 'id', ji: 'yi' }

/** The language of a tag without script and region, in lower case. */
export function baseLanguage(tag: string): string {
  const base = tag.split('-')[0]!.toLowerCase()
  return OLD_CODES[base] ?? base
}
