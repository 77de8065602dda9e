/** A suggestion in focus: its texts, its risks, the note, and what a reviewer may do. */
import { type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import type { SuggestionRow } from '../api/late-client.ts'
import { useMember } from '../api/session.ts'
import { draftStorage } from '../drafts/draft-storage.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { projectAddress } from '../ui/location.ts'
import { TextField } from '../ui/text-field.tsx'
import { When } from '../ui/when.tsx'
import styles from './review.module.css'
import { authorId, authorName } from './review-reads.ts'
import { SuggestedTexts } from './suggested-texts.tsx'
import { SuggestionFacts } from './suggestion-facts.tsx'
import type { Decision } from './use-decisions.ts'

interface Props {
  slug: string
  row: SuggestionRow
  mayReview: boolean
  /** Another person must accept one's own texts, edited ones too. */
  fourEyes: boolean
  isPending: boolean
  canSkip: boolean
  onSkip: () => void
  onUndo: () => unknown
  /** @returns whether it is done */
  onDecide: (decision: Decision) => Promise<boolean>
}

/** The letters work while the focus is within the card, outside of its fields (WCAG 2.1.4). */
export function ReviewCard({ slug, row, mayReview, fourEyes, isPending, canSkip, onSkip, onUndo, onDecide }: Props) {
  const { t } = useTranslation('work')
  const { user, who } = useMember()
  const { id, language, namespace, key } = row
  const draftName = reviewDrafts.nameOf([user.id, who.organization.id, slug, id])
  const stored = reviewDrafts.read(draftName)
  const own = editableTexts(row)
  const [texts, setTexts] = useState(() => stored?.texts ?? own)
  const [reason, setReason] = useState(stored?.reason ?? '')
  const [form, setForm] = useState<Decision['is'] | undefined>(
    stored?.texts ? 'accept' : stored?.reason ? 'reject' : undefined,
  )
  const store = (texts: Record<string, string> | undefined, reason: string) => {
    const isEdited = texts !== undefined && JSON.stringify(texts) !== JSON.stringify(own)
    const draft = { ...(isEdited && { texts }), ...(reason !== '' && { reason }) }
    reviewDrafts.store(draftName, Object.keys(draft).length > 0 ? draft : undefined)
  }
  const decide = async (decision: Decision) => {
    if (isPending) return
    if (await onDecide(decision)) reviewDrafts.store(draftName, undefined)
  }
  const close = () => {
    setForm(undefined)
    document.querySelector<HTMLElement>('[data-card]')?.focus()
  }
  const isOwn = authorId(row) === user.id
  const mayReject = mayReview || isOwn
  const acts: Record<string, (() => unknown) | false> = {
    a: mayReview && !(fourEyes && isOwn) && (() => decide({ is: 'accept' })),
    e: mayReview && !fourEyes && own !== undefined && (() => setForm('accept')),
    r: mayReject && (() => setForm('reject')),
    s: canSkip && onSkip,
    u: onUndo,
  }
  const keyed = (event: KeyboardEvent<HTMLElement>) => {
    const { key, code, target, ctrlKey, metaKey, altKey } = event
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
    if (isField && key === 'Escape') {
      event.preventDefault()
      close()
    }
    if (isField && key === 'Enter' && (ctrlKey || metaKey) && !event.nativeEvent.isComposing) {
      event.preventDefault()
      target.form?.requestSubmit()
    }
    // A layout without Latin letters has these at their usual place.
    const letter = /^[a-z]$/i.test(key) ? key : code.replace('Key', '')
    const act = acts[letter.toLowerCase()]
    if (isField || ctrlKey || metaKey || altKey || event.repeat || !act) return
    event.preventDefault()
    act()
  }
  return (
    <section className={styles.card} aria-label={t('suggestionFor', { key })} tabIndex={-1} data-card onKeyDown={keyed}>
      <header className={styles.head}>
        <h2>
          <a href={`#${projectAddress(slug, language, namespace, key)}`}>
            <code>{key}</code>
          </a>{' '}
          <span className="quiet">{namespace}</span>
        </h2>
        <p className="quiet">
          <bdi>{authorName(row)}</bdi> · <When date={row.at} />
        </p>
      </header>
      <SuggestionFacts slug={slug} row={row} />
      <SuggestedTexts slug={slug} row={row} />
      {form === 'accept' && texts !== undefined && (
        <Form
          label={t('edit')}
          className={styles.form}
          onSubmit={() => decide({ is: 'accept', value: sentValue(texts) })}
        >
          {Object.entries(texts).map(([ending, text], at) => (
            <TextField
              key={ending}
              label={ending === '' ? t('yourText') : t('yourForm', { form: ending.slice(1) })}
              lines={3}
              lang={language}
              autoFocus={at === 0}
              value={text}
              onChange={text => {
                const changed = { ...texts, [ending]: text }
                setTexts(changed)
                store(changed, reason)
              }}
            />
          ))}
          <div className={styles.actions}>
            <Button type="submit" look="primary" isPending={isPending}>
              {t('acceptEdited')}
            </Button>
            <Button onPress={close}>{t('common:cancel')}</Button>
          </div>
        </Form>
      )}
      {form === 'reject' && (
        <Form
          label={t('reject')}
          className={styles.form}
          onSubmit={() => decide({ is: 'reject', reason: reason.trim() })}
        >
          <TextField
            label={t('reason')}
            hint={t('reasonHint')}
            autoFocus
            autoComplete="off"
            value={reason}
            onChange={reason => {
              setReason(reason)
              store(texts, reason)
            }}
          />
          <div className={styles.actions}>
            <Button type="submit" look="primary" isPending={isPending}>
              {t('reject')}
            </Button>
            <Button onPress={close}>{t('common:cancel')}</Button>
          </div>
        </Form>
      )}
      {form === undefined && (
        <div className={styles.actions}>
          {acts.a && (
            <Button look="primary" isPending={isPending} aria-keyshortcuts="a" onPress={acts.a}>
              {t('accept')} <kbd>A</kbd>
            </Button>
          )}
          {acts.e && (
            <Button aria-keyshortcuts="e" onPress={acts.e}>
              {t('edit')} <kbd>E</kbd>
            </Button>
          )}
          {acts.r && (
            <Button aria-keyshortcuts="r" onPress={acts.r}>
              {t(mayReview ? 'reject' : 'withdraw')} <kbd>R</kbd>
            </Button>
          )}
          {acts.s && (
            <Button look="quiet" aria-keyshortcuts="s" onPress={acts.s}>
              {t('skip')} <kbd>S</kbd>
            </Button>
          )}
        </div>
      )}
    </section>
  )
}

/** Undefined for a message of several kinds: the API has no value for it. */
function editableTexts({ message }: SuggestionRow): Record<string, string> | undefined {
  const parts = partsOf(message as Message)
  const kinds = [parts.text, parts.cardinal, parts.ordinal].filter(part => part !== undefined)
  return kinds.length === 1 && parts.ordinal === undefined ? Object.fromEntries(linesOf(parts)) : undefined
}

/** The value of the API: a text, or the forms by category. */
function sentValue(texts: Record<string, string>): string | Record<string, string> {
  const text = texts['']
  if (text !== undefined) return text
  return Object.fromEntries(Object.entries(texts).map(([ending, text]) => [ending.slice(1), text]))
}

/** A typed text, by form; the reason stands apart. */
interface ReviewDraft {
  texts?: Record<string, string>
  reason?: string
}

/** By user, organization, project and the id of the suggestion. */
const reviewDrafts = draftStorage<ReviewDraft>('parlance review ', value => {
  const { texts, reason } = value as ReviewDraft
  const areTexts = typeof texts === 'object' && Object.values(texts).every(text => typeof text === 'string')
  const draft = { ...(areTexts && { texts }), ...(typeof reason === 'string' && reason !== '' && { reason }) }
  return Object.keys(draft).length > 0 ? draft : undefined
})
