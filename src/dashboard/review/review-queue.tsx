/** The queue: one suggestion in focus, the decisions on it, and the undo of the last one. */
import { CircleCheck, Undo2 } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isAtLeast } from '../api/language-permit.ts'
import type { SuggestionRow } from '../api/late-client.ts'
import { usePermits } from '../editor/use-permits.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { afterFocus } from '../ui/focus.ts'
import { Wrong } from '../ui/form.tsx'
import { projectAddress } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { Empty } from '../ui/state.tsx'
import { DecideAll } from './decide-all.tsx'
import { orderByRisk } from './order-by-risk.ts'
import styles from './review.module.css'
import { ReviewCard } from './review-card.tsx'
import { useDecisions } from './use-decisions.ts'

interface Props {
  slug: string
  language: string
  rows: readonly SuggestionRow[]
  /** More wait than were read. */
  isCut: boolean
}

/** The focus goes on to the next card after each decision. */
export function ReviewQueue({ slug, language, rows, isCut }: Props) {
  const { t } = useTranslation('work')
  const own = useRef<HTMLDivElement>(null)
  const [skipped, setSkipped] = useState<readonly string[]>([])
  const ordered = useMemo(() => orderByRisk(rows), [rows])
  const queue = useMemo(() => {
    const isSkipped = ({ id }: SuggestionRow) => skipped.includes(id)
    const later = skipped.flatMap(id => ordered.filter(row => row.id === id))
    return [...ordered.filter(row => !isSkipped(row)), ...later]
  }, [ordered, skipped])
  const [wanted, setWanted] = useState<string>()
  const current = queue.find(({ id }) => id === wanted) ?? queue[0]
  const id = current?.id
  /** An undone decision: its suggestion may be shown some renderings later. */
  const returning = useRef<string>(undefined)
  // What others add meanwhile changes the order, and not the suggestion in focus.
  useEffect(() => {
    if (id === returning.current) returning.current = undefined
    if (id !== wanted && wanted !== returning.current) setWanted(id)
  }, [id, wanted])
  const enter = () => afterFocus(() => own.current?.querySelector<HTMLElement>('[data-card], [data-empty]')?.focus())
  const decisions = useDecisions(slug, language, id => {
    returning.current = id
    if (id !== undefined) setWanted(id)
    enter()
  })
  // The focus goes with a card that leaves, also where another user decided.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the card, not the function
  useEffect(() => {
    if (document.activeElement === document.body) enter()
  }, [id])
  useEffect(enter, [])
  const permit = usePermits(slug, [language])[0]!
  const mayReview = isAtLeast(permit, 'review')
  const skip = () => {
    if (id === undefined) return
    decisions.forget()
    setWanted(queue.find(row => row.id !== id)?.id)
    setSkipped([...skipped.filter(one => one !== id), id])
    enter()
  }
  const { last } = decisions
  return (
    <div ref={own} className={styles.queue}>
      {last && (
        <Notice
          kind="good"
          action={
            <Button small icon={<Undo2 aria-hidden />} isPending={decisions.pending} onPress={decisions.undo}>
              {t('undo')}
            </Button>
          }
        >
          {last.sentence}
        </Notice>
      )}
      <Wrong problem={decisions.problem} />
      {!mayReview && rows.length > 0 && <Notice>{t('notReviewer')}</Notice>}
      {current === undefined ? (
        <div tabIndex={-1} data-empty className={styles.end}>
          <Empty
            icon={<CircleCheck aria-hidden />}
            title={t('queueEmpty')}
            action={<ButtonLink to={projectAddress(slug, language)}>{t('toTexts')}</ButtonLink>}
          >
            {t('queueEmptyWhy')}
          </Empty>
        </div>
      ) : (
        <>
          <p className="quiet" role="status">
            {t('waitingCount', { count: rows.length })}
            {isCut && ` ${t('moreWait')}`}
          </p>
          <ReviewCard
            key={current.id}
            slug={slug}
            row={current}
            mayReview={mayReview}
            fourEyes={permit.fourEyes}
            isPending={decisions.pending}
            canSkip={queue.length > 1}
            onSkip={skip}
            onUndo={decisions.undo}
            onDecide={async decision => {
              const next = queue.find(row => row.id !== current.id)?.id
              const isDone = await decisions.decide([current], decision)
              if (isDone) {
                setWanted(next)
                enter()
              }
              return isDone
            }}
          />
          {mayReview && <DecideAll rows={rows} row={current} onDecide={decisions.decideAll} onDone={enter} />}
        </>
      )}
    </div>
  )
}
