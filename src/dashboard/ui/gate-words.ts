/** Why the gate refused a translation of a machine, in the words of the reader. */
import type { TFunction } from 'i18next'
import type { GateFault } from '../api/late-client.ts'
import { isolated } from './isolated.tsx'

/** @param t of the namespace `machine` */
export function gateWords(faults: readonly GateFault[], t: TFunction<'machine'>): string {
  const words = faults.map(({ form, ...fault }) => {
    const sentence = faultWords(fault, t)
    return form === undefined ? sentence : t('inForm', { form: isolated(form), sentence })
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
