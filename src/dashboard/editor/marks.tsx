/** The status of a text as a word and a sign. */
import type { KeyMark } from '../../bundle/status.ts'
import { Badge } from '../ui/badge.tsx'
import type { NoticeKind } from '../ui/notice.tsx'
import { useEditor } from './editor-context.ts'
import styles from './marks.module.css'
import type { KindOfRow } from './model/filter.ts'

/** The sign and tone of each kind. */
export const SIGNS: Record<KindOfRow, { sign: string; kind?: NoticeKind }> = {
  missing: { sign: '○', kind: 'bad' },
  empty: { sign: '◌', kind: 'bad' },
  incomplete: { sign: '◐', kind: 'warn' },
  stale: { sign: '↻', kind: 'warn' },
  problems: { sign: '!', kind: 'bad' },
  translated: { sign: '✓', kind: 'good' },
  extra: { sign: '+', kind: 'info' },
  suggested: { sign: '◇', kind: 'info' },
  unsaved: { sign: '✎', kind: 'info' },
}

interface Props {
  is: readonly KeyMark[]
  unsaved?: boolean
  /** A suggestion waits for it. */
  suggested?: boolean
  /** Another text was saved since the unsaved one was begun. */
  conflict?: boolean
  gone?: boolean
}

/** Badges. The status `translated` has a quiet one, where it is all. */
export function Marks({ is, unsaved, suggested, conflict, gone }: Props) {
  const { t } = useEditor()
  const kinds: KindOfRow[] = [
    ...is,
    ...(suggested ? ['suggested' as const] : []),
    ...(unsaved ? ['unsaved' as const] : []),
  ]
  const loud = kinds.filter(kind => kind !== 'translated')
  const translated = loud.length === 0 && (
    <span className={`quiet ${styles.translated}`} data-sign={SIGNS.translated.sign}>
      {t('is.translated')}
    </span>
  )
  // One element: each scrolled frame renders some.
  if (translated && !gone) return translated
  return (
    <span className={styles.marks}>
      {loud.map(kind => (
        <Badge key={kind} mark={SIGNS[kind].sign} {...(SIGNS[kind].kind && { kind: SIGNS[kind].kind })}>
          {t(`is.${kind}`)}
        </Badge>
      ))}
      {conflict && (
        <Badge mark="≠" kind="warn">
          {t('conflict')}
        </Badge>
      )}
      {gone && <Badge mark="↷">{t('noLongerMatches')}</Badge>}
    </span>
  )
}
