/** Why a machine, or a job of it, failed, in the words of the reader. */
import type { TFunction } from 'i18next'
import { ApiProblem } from '../api/answer.ts'
import type { MachineFault } from '../api/late-client.ts'
import { problemOf } from '../api/problem-of.ts'
import { languageName } from '../i18n/languages.ts'
import { isolated } from './isolated.tsx'
import { SENTENCE_OF } from './machine-fault-sentences.ts'

/** @param t of the namespace `machine` @param lng the reader's language */
export function machineFaultWords(
  { code, machine = '', limit, unit, language, ...values }: MachineFault,
  t: TFunction<'machine'>,
  lng: string,
): string {
  const amount =
    unit === undefined || unit === 'characters'
      ? {}
      : ({ style: 'currency', currency: unit } satisfies Intl.NumberFormatOptions)
  return t(`trouble.${SENTENCE_OF[code] ?? code}`, {
    ...values,
    machine: isolated(machine),
    limit:
      limit !== undefined &&
      (unit === 'characters' ? t('characters', { count: limit }) : new Intl.NumberFormat(lng, amount).format(limit)),
    language: language && languageName(language, lng),
  })
}

/** An error of the server with the words of its fault; another error as it is. */
export function inMachineWords(error: unknown, t: TFunction<'machine'>, lng: string): unknown {
  const fault = error instanceof ApiProblem && (error.data as { fault?: MachineFault } | undefined)?.fault
  return fault ? new ApiProblem(error.status, machineFaultWords(fault, t, lng), error.data) : error
}

/** The sentence of any error. */
export const machineProblem = (error: unknown, t: TFunction<'machine'>, lng: string): string =>
  problemOf(inMachineWords(error, t, lng), t as TFunction)
