/** A note, for reading. */
import { Pencil } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Note } from '../../../../bundle/note.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/snippet.tsx'
import styles from './note.module.css'

/** References to show at first. */
const FIRST_REFS = 3

interface Props {
  note: Note | undefined
  /** Undefined where the reader may not. */
  onEdit: (() => void) | undefined
}

/** Who wrote it, its limit, its tags and its places in the code. */
export function NoteView({ note, onEdit }: Props) {
  const { t } = useTranslation('context')
  const { note: text, max, tags = [], refs = [], from } = note ?? {}
  const facts = [
    text !== undefined && t(from === 'code' ? 'fromCode' : 'fromPerson'),
    max !== undefined && t('atMost', { count: max, max }),
  ].filter(Boolean)
  return (
    <div className={styles.note}>
      {text === undefined ? (
        <p className="quiet">{t('noNote')}</p>
      ) : (
        <p className={styles.text} dir="auto">
          {text}
        </p>
      )}
      {facts.length > 0 && <p className="quiet">{facts.join(' · ')}</p>}
      {tags.length > 0 && (
        <ul className={styles.tags} aria-label={t('tags')}>
          {tags.map(tag => (
            <li key={tag}>
              <Badge>{tag}</Badge>
            </li>
          ))}
        </ul>
      )}
      {refs.length > 0 && <References refs={refs} />}
      {onEdit && (
        <div>
          <Button small look="quiet" icon={<Pencil aria-hidden />} data-edit onPress={onEdit}>
            {t(note === undefined ? 'addNote' : 'editNote')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Places in the code, to copy. */
function References({ refs }: { refs: readonly string[] }) {
  const { t } = useTranslation('context')
  const [first, rest] = [refs.slice(0, FIRST_REFS), refs.slice(FIRST_REFS)]
  const list = (refs: readonly string[]) => (
    <ul className={styles.refs} aria-label={t('usedAt')}>
      {refs.map(ref => (
        <li key={ref}>
          <code dir="ltr">{ref}</code>
          <CopyButton text={ref} label={t('copyRef', { ref })} />
        </li>
      ))}
    </ul>
  )
  return (
    <>
      {list(first)}
      {rest.length > 0 && (
        <details>
          <summary>{t('moreRefs', { count: rest.length })}</summary>
          {list(rest)}
        </details>
      )}
    </>
  )
}
