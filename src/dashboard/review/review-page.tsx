/** The review queue of a language: the suggestions that wait, the riskiest first. */
import { CircleCheck, Undo2 } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import type { SuggestionRow } from '../api/late-client.ts'
import { isAtLeast } from '../api/rights.ts'
import { usePermits } from '../editor/editor-context.ts'
import { languageName } from '../i18n/languages.ts'
import { ProjectFrame } from '../project/project-frame.tsx'
import { announce } from '../ui/announce.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { afterFocus } from '../ui/focus.ts'
import { Wrong } from '../ui/form.tsx'
import { projectAddress } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { Empty, Loaded } from '../ui/page.tsx'
import { orderByRisk } from './order-by-risk.ts'
import styles from './review.module.css'
import { ReviewCard } from './review-card.tsx'
import { authorId, authorName, type Decision, useDecisions, useSuggestions } from './use-suggestions.ts'

/** See the file. */
export default function ReviewPage() {
  const { slug = '', language = '' } = useParams()
  const { t, i18n } = useTranslation('work')
  const read = useSuggestions(slug, language)
  return (
    <ProjectFrame slug={slug} title={t('reviewOf', { language: languageName(language, i18n.language) })}>
      <Loaded read={read} lines={6}>
        {({ rows, isCut }) => (
          <ReviewQueue key={`${slug} ${language}`} slug={slug} language={language} rows={rows} isCut={isCut} />
        )}
      </Loaded>
    </ProjectFrame>
  )
}

interface QueueProps {
  slug: string
  language: string
  rows: readonly SuggestionRow[]
  /** More wait than were read. */
  isCut: boolean
}

/** One suggestion in focus. The focus goes on to the next card after each decision. */
function ReviewQueue({ slug, language, rows, isCut }: QueueProps) {
  const { t } = useTranslation('work')
  const own = useRef<HTMLDivElement>(null)
  const [skipped, setSkipped] = useState<readonly string[]>([])
  // `indexOf` is -1 for all that are not skipped: they stand before the skipped ones.
  const queue = useMemo(
    () => orderByRisk(rows).sort((one, other) => skipped.indexOf(one.id) - skipped.indexOf(other.id)),
    [rows, skipped],
  )
  const [wanted, setWanted] = useState<string>()
  const current = queue.find(({ id }) => id === wanted) ?? queue[0]
  const id = current?.id
  const next = queue.find(row => row.id !== id)?.id
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
  const goOn = () => {
    setWanted(next)
    enter()
  }
  return (
    <div ref={own} className={`stack4 ${styles.queue}`}>
      {decisions.last && (
        <Notice
          kind="good"
          action={
            <Button small icon={<Undo2 aria-hidden />} isPending={decisions.pending} onPress={decisions.undo}>
              {t('undo')}
            </Button>
          }
        >
          {decisions.last.sentence}
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
            onSkip={() => {
              decisions.forget()
              setSkipped([...skipped.filter(one => one !== current.id), current.id])
              goOn()
            }}
            onUndo={decisions.undo}
            onDecide={async decision => {
              const isDone = await decisions.decide(current, decision)
              if (isDone) goOn()
              return isDone
            }}
          />
          {mayReview && <DecideAll rows={rows} row={current} onDecide={decisions.decideAll} onDone={enter} />}
        </>
      )}
    </div>
  )
}

/** Maximum of ids in a request. */
const MOST_IDS = 1000

interface AllProps {
  rows: readonly SuggestionRow[]
  /** The suggestion in focus: its author is meant. */
  row: SuggestionRow
  onDecide: (rows: readonly SuggestionRow[], decision: Decision) => Promise<string>
  onDone: () => void
}

/** Two buttons for the listed suggestions of one author; each asks first. Nothing for an author with one suggestion. */
function DecideAll({ rows, row, onDecide, onDone }: AllProps) {
  const { t } = useTranslation('work')
  const [asked, ask] = useState<Decision['is']>()
  const all = rows.filter(other => authorId(other) === authorId(row)).slice(0, MOST_IDS)
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
