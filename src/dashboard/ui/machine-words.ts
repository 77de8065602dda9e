/** What a machine costs, why it failed, or why the gate refused its translation, in the words of the reader. */
import type { TFunction } from 'i18next'
import { ApiProblem, problemOf } from '../api/answer.ts'
import type { GateFault, MachineFault } from '../api/late-client.ts'
import { languageName } from '../i18n/languages.ts'
import { isolated } from './isolated.tsx'
import { SENTENCE_OF } from './machine-fault-sentences.ts'

/** @param t of the namespace `machine` @param lng the reader's language */
export function machineFaultWords(
  { code, machine = '', limit, unit, language, ...values }: MachineFault,
  t: TFunction<'machine'>,
  lng: string,
): string {
  return t(`trouble.${SENTENCE_OF[code] ?? code}`, {
    ...values,
    machine,
    limit:
      limit === undefined || unit === undefined
        ? limit
        : costWords(limit, unit, lng, count => t('characters', { count })),
    language: language && languageName(language, lng),
  })
}

/** An error of the server with the words of its fault; another error as it is. */
export function inMachineWords(error: unknown, t: TFunction<'machine'>, lng: string): unknown {
  const fault = error instanceof ApiProblem && (error.data as { fault?: MachineFault } | undefined)?.fault
  return fault ? new ApiProblem(error.status, machineFaultWords(fault, t, lng), error.data) : error
}

export const machineProblem = (error: unknown, t: TFunction<'machine'>, lng: string): string =>
  problemOf(inMachineWords(error, t, lng), t as TFunction)

/** Why the gate refused a translation. @param t of the namespace `machine` */
export function gateWords(faults: readonly GateFault[], t: TFunction<'machine'>): string {
  const words = faults.map(({ form, ...fault }) => {
    const sentence = faultWords(fault, t)
    return form === undefined ? sentence : t('inForm', { form, sentence })
  })
  return words.join(' ')
}

function faultWords({ code, names = [], more = 0, ...values }: GateFault, t: TFunction<'machine'>): string {
  const all = [...names.map(isolated), ...(more > 0 ? [`… +${more}`] : [])]
  return t(`fault.${code.startsWith('answer-') && !OWN.has(code) ? 'answer' : code}`, {
    ...values,
    what: all.join(' '),
  })
}

/** Faults of an answer with a sentence of their own. */
const OWN: ReadonlySet<string> = new Set(['answer-long', 'answer-number'])

/**
 * An amount in a currency or in characters.
 * @param unit ISO 4217, or `characters` @param characters a sentence for a number of characters
 */
export function costWords(amount: number, unit: string, language: string, characters: (count: number) => string) {
  if (unit === 'characters') return characters(amount)
  // A part of a cent is no nothing.
  const digits = amount > 0 && amount < 0.01 ? { maximumSignificantDigits: 1 } : {}
  // In Arabic, a dollar sign would leave its `US`.
  return isolated(new Intl.NumberFormat(language, { style: 'currency', currency: unit, ...digits }).format(amount))
}

/** Phrases in a row. */
export const listed = (phrases: readonly string[], language: string): string =>
  new Intl.ListFormat(language, { type: 'unit', style: 'short' }).format(phrases)
