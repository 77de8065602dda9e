/** Accepts or rejects the listed suggestions of one author. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SuggestionRow } from '../api/late-client.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import styles from './review.module.css'
import { authorId, authorName } from './review-reads.ts'
import type { Decision } from './use-decisions.ts'

interface Props {
  rows: readonly SuggestionRow[]
  /** The suggestion in focus: its author is meant. */
  row: SuggestionRow
  onDecide: (rows: readonly SuggestionRow[], decision: Decision) => Promise<string>
  onDone: () => void
}

/** Maximum of ids in a request. */
const MOST_IDS = 1000

/** Two buttons with the number; each asks first. Nothing for an author with one suggestion. */
export function DecideAll({ rows, row, onDecide, onDone }: Props) {
  const { t } = useTranslation('work')
  const [asked, ask] = useState<Decision['is']>()
  const by = authorId(row)
  const all = rows.filter(other => authorId(other) === by).slice(0, MOST_IDS)
  if (all.length < 2) return null
  const words = { name: authorName(row), count: all.length }
  const titles = { accept: t('acceptAll', words), reject: t('rejectAll', words) }
  return (
    <div className={styles.actions}>
      {(['accept', 'reject'] as const).map(is => (
        <Button key={is} small onPress={() => ask(is)}>
          {titles[is]}
        </Button>
      ))}
      {asked && (
        <Confirm
          title={titles[asked]}
          doIt={t(asked)}
          isOpen
          onClose={() => ask(undefined)}
          onConfirm={async () => {
            announce(await onDecide(all, { is: asked }))
            onDone()
          }}
        >
          <p>{t(asked === 'accept' ? 'acceptAllWhy' : 'rejectAllWhy', words)}</p>
        </Confirm>
      )}
    </div>
  )
}
