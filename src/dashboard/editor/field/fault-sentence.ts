/** What is wrong with a text, in the words of the reader. */
import type { TFunction } from 'i18next'
import { isolated } from '../../ui/isolated.tsx'
import { problemKind, problemName } from '../model/filter.ts'
import type { CellProblem } from '../model/rows.ts'
import type { TextFault } from './faults-of.ts'

/** Placeholders that a sentence names. */
const MOST_NAMED = 20

const listed = (placeholders: readonly string[]) => {
  const more = placeholders.length - MOST_NAMED
  const named = placeholders.slice(0, MOST_NAMED).map(isolated)
  return [...named, ...(more > 0 ? [`… +${more}`] : [])].join(' ')
}

const SPACE = {
  missing: { start: 'lacksSpaceStart', end: 'lacksSpaceEnd' },
  extra: { start: 'hasSpaceStart', end: 'hasSpaceEnd' },
} as const

/** What differs from the source. Its kind may be one that the dashboard does not know. */
type DifferenceFault = { is: 'missing' | 'extra'; kind: string; what: string[] }

/** Both sides of a problem that the API names: one of them, where it has no names. */
export const differencesOf = ({ kind, missing, extra }: CellProblem): DifferenceFault[] => [
  ...(missing.length > 0 ? [{ is: 'missing' as const, kind, what: missing }] : []),
  ...(extra.length > 0 || missing.length === 0 ? [{ is: 'extra' as const, kind, what: extra }] : []),
]

/** The fault as a sentence that names its kind. @param t of the namespace `editor` */
export function sentenceOf(check: TextFault | DifferenceFault, t: TFunction<'editor'>): string {
  if (check.is === 'missing' || check.is === 'extra') {
    return t('problemIs', { kind: problemName(check.kind, t), sentence: differenceSentence(check, t) })
  }
  return t(check.is === 'icu' ? 'isIcu' : check.is === 'long' ? 'isLong' : 'isUnstorable')
}

function differenceSentence({ is, kind, what: all }: DifferenceFault, t: TFunction<'editor'>): string {
  if (kind === 'space') return all.map(end => t(SPACE[is][end as 'start' | 'end'])).join(' ')
  const what = listed(all)
  if (kind === 'control') return t('hasControls', { what })
  if (is === 'missing') return t('lacks', { what })
  if (problemKind(kind) === 'placeholder') return t('hasExtra', { what })
  return what || t('checkFinds')
}
