/** A suggestion, with what its reader may do to it. */
import { Check, PenLine, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../../bundle/message.ts'
import { ApiProblem, answer } from '../../../api/answer.ts'
import { isAtLeast } from '../../../api/language-permit.ts'
import { acceptSuggestions, rejectSuggestions, type SuggestionRow } from '../../../api/late-client.ts'
import { useMember } from '../../../api/session.ts'
import { ownWrite } from '../../../live/live.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Diff } from '../../../ui/diff.tsx'
import { Wrong } from '../../../ui/form.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useSubmission } from '../../../ui/use-submission.ts'
import { When } from '../../../ui/when.tsx'
import { useEditor } from '../../editor-context.ts'
import { leafAt, textsOf } from '../../model/leaves.ts'
import { problemName } from '../../model/problem-kinds.ts'
import { formName } from '../../shown-text.tsx'
import styles from '../contributions.module.css'
import panel from '../panel.module.css'
import { PanelForm, usePanelForm } from '../panel-form.tsx'

/** Characters of a reason that the server stores. */
const MOST_OF_REASON = 200

interface Props {
  slug: string
  /** The number of the language among the targets. */
  target: number
  suggestion: SuggestionRow
  /** Puts a text into the field in hand. */
  use: (text: string) => void
  /** Called after a write that ends the suggestion. */
  onDone: () => Promise<void>
}

/** The server's answer to an acceptance or a rejection. */
interface Ended {
  conflicts: { why: 'source-changed' | 'gone' | 'own' }[]
}

export function SuggestionView({ slug, target, suggestion, use, onDone }: Props) {
  const { t } = useTranslation('suggestions')
  const { user } = useMember()
  const { permits, t: inEditor } = useEditor()
  const permit = permits[target]!
  const { pending, problem, send } = useSubmission()
  const form = usePanelForm<HTMLLIElement>(() => false)
  const [reason, setReason] = useState('')
  const { id, language, by, at, message, present, fits, problems } = suggestion
  const isOwn = typeof by !== 'string' && by.id === user.id
  const author = typeof by === 'string' ? by : by.name
  const mayReview = isAtLeast(permit, 'review')
  const mayAccept = mayReview && !(isOwn && permit.fourEyes)
  const mayUse = permit.mode !== 'read'
  const [now, then] = [textsOf((present ?? undefined) as Message | undefined), textsOf(message as Message)]
  const endings = [...new Set([...Object.keys(then), ...Object.keys(now)])]
  const kinds = [...new Set(problems.map(({ kind }) => problemName(kind, inEditor)))]
  const end = async (write: () => Promise<Ended>, words: string) => {
    const isEnded = await send(() =>
      ownWrite(async () => {
        const [conflict] = (await write()).conflicts
        if (conflict) throw new ApiProblem(409, t(`why.${conflict.why}`))
        return words
      }),
    )
    if (isEnded) await onDone()
  }
  const accept = () =>
    end(
      () => answer(acceptSuggestions({ slug, accepting: { language, ids: [id], ...(!fits && { anyway: true }) } })),
      t('accepted', { author }),
    )
  const reject = (reason: string) =>
    end(
      () => answer(rejectSuggestions({ slug, rejecting: { language, ids: [id], ...(reason !== '' && { reason }) } })),
      t(isOwn ? 'withdrawn' : 'rejected', { author }),
    )
  return (
    <li ref={form.own} className={styles.contribution} aria-label={t('by', { author })}>
      <p className={styles.by}>
        <bdi>{author}</bdi>
        <span className="quiet">
          <When date={at} />
        </span>
      </p>
      {endings.map(ending => (
        <p key={ending} className={styles.text}>
          {endings.length > 1 && <span className={panel.form}>{formName(leafAt(ending), inEditor)}</span>}
          <Diff before={now[ending] ?? ''} after={then[ending] ?? ''} language={language} />
        </p>
      ))}
      {(!fits || kinds.length > 0) && (
        <p className={styles.actions}>
          {!fits && (
            <Badge sign="stale" kind="warn">
              {t('sourceChanged')}
            </Badge>
          )}
          {kinds.map(kind => (
            <Badge key={kind} sign="problems" kind="bad">
              {kind}
            </Badge>
          ))}
        </p>
      )}
      <Wrong problem={form.isOpen ? '' : problem} />
      {form.isOpen ? (
        <PanelForm
          label={t('rejectOf', { author })}
          doIt={t('reject')}
          problem={problem}
          isPending={pending}
          isEntered={form.isEntered}
          onSubmit={() => void reject(reason.trim())}
          onCancel={form.close}
          isBrief
        >
          <TextField
            label={t('reason')}
            hint={t('reasonHint')}
            value={reason}
            onChange={setReason}
            maxLength={MOST_OF_REASON}
          />
        </PanelForm>
      ) : (
        <div className={styles.actions}>
          {mayAccept && (
            <Button
              small
              icon={<Check aria-hidden />}
              aria-label={t(fits ? 'acceptOf' : 'acceptAnywayOf', { author })}
              isPending={pending}
              onPress={() => void accept()}
            >
              {t(fits ? 'accept' : 'acceptAnyway')}
            </Button>
          )}
          {mayReview && !isOwn && (
            <Button
              small
              look="quiet"
              icon={<X aria-hidden />}
              aria-label={t('rejectOf', { author })}
              data-edit
              onPress={form.open}
            >
              {t('reject')}
            </Button>
          )}
          {isOwn && permit.level !== 'read' && (
            <Button small look="quiet" icon={<X aria-hidden />} isPending={pending} onPress={() => void reject('')}>
              {t('withdraw')}
            </Button>
          )}
          {mayUse && endings.length === 1 && (
            <Button
              small
              look="quiet"
              icon={<PenLine aria-hidden />}
              aria-label={t('editOf', { author })}
              onPress={() => use(then[endings[0]!] ?? '')}
            >
              {t('common:edit')}
            </Button>
          )}
        </div>
      )}
    </li>
  )
}
