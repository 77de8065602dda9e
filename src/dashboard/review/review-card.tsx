/** A suggestion in focus: its texts, its risks, the note, and what a reviewer may do. */
import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import { answer } from '../api/answer.ts'
import { getKeyContext } from '../api/client.ts'
import type { SuggestionRow } from '../api/late-client.ts'
import { useManifest } from '../api/queries.ts'
import { useMember } from '../api/session.ts'
import { draftStorage } from '../drafts/draft-storage.ts'
import { differencesOf, sentenceOf } from '../editor/field/fault-sentence.ts'
import { directionOf } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { Diff } from '../ui/diff.tsx'
import { Form, TextField } from '../ui/form.tsx'
import { Isolated } from '../ui/isolated.tsx'
import { projectAddress } from '../ui/location.ts'
import { Badge } from '../ui/notice.tsx'
import { When } from '../ui/when.tsx'
import { risksOf } from './order-by-risk.ts'
import styles from './review.module.css'
import { authorId, authorName, type Decision } from './use-suggestions.ts'

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
  const [{ texts, reason }, setTyped] = useState({ texts: stored?.texts ?? own, reason: stored?.reason ?? '' })
  const [form, setForm] = useState<Decision['is'] | undefined>(
    stored?.texts ? 'accept' : stored?.reason ? 'reject' : undefined,
  )
  const edit = (changes: ReviewDraft) => {
    const typed = { texts, reason, ...changes }
    setTyped(typed)
    const isEdited = JSON.stringify(typed.texts) !== JSON.stringify(own)
    const draft = { ...(isEdited && { texts: typed.texts }), ...(typed.reason !== '' && { reason: typed.reason }) }
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
  const acts: Record<string, (() => unknown) | false> = {
    a: mayReview && !(fourEyes && isOwn) && (() => decide({ is: 'accept' })),
    e: mayReview && !fourEyes && Object.keys(own).length > 0 && (() => setForm('accept')),
    r: (mayReview || isOwn) && (() => setForm('reject')),
    s: canSkip && onSkip,
    u: onUndo,
  }
  const buttons = [
    ['a', 'accept', 'primary'],
    ['e', 'edit', 'plain'],
    ['r', mayReview ? 'reject' : 'withdraw', 'plain'],
    ['s', 'skip', 'quiet'],
  ] as const
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
    <section
      className={`stack4 ${styles.card}`}
      aria-label={t('suggestionFor', { key })}
      tabIndex={-1}
      data-card
      onKeyDown={keyed}
    >
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
      {form && (
        <Form
          label={t(form === 'accept' ? 'edit' : 'reject')}
          className="stack3"
          onSubmit={() =>
            decide(form === 'accept' ? { is: form, value: sentValue(texts) } : { is: form, reason: reason.trim() })
          }
        >
          {form === 'accept' ? (
            Object.entries(texts).map(([ending, text], at) => (
              <TextField
                key={ending}
                label={ending === '' ? t('yourText') : t('yourForm', { form: ending.slice(1) })}
                lines={3}
                lang={language}
                autoFocus={at === 0}
                value={text}
                onChange={text => edit({ texts: { ...texts, [ending]: text } })}
              />
            ))
          ) : (
            <TextField
              label={t('reason')}
              hint={t('reasonHint')}
              autoFocus
              autoComplete="off"
              value={reason}
              onChange={reason => edit({ reason })}
            />
          )}
          <div className={styles.actions}>
            <Button type="submit" look="primary" isPending={isPending}>
              {t(form === 'accept' ? 'acceptEdited' : 'reject')}
            </Button>
            <Button onPress={close}>{t('common:cancel')}</Button>
          </div>
        </Form>
      )}
      {form === undefined && (
        <div className={styles.actions}>
          {buttons.map(
            ([letter, words, look]) =>
              acts[letter] && (
                <Button
                  key={letter}
                  look={look}
                  isPending={letter === 'a' && isPending}
                  aria-keyshortcuts={letter}
                  onPress={acts[letter]}
                >
                  {t(words)} <kbd>{letter.toUpperCase()}</kbd>
                </Button>
              ),
          )}
        </div>
      )}
    </section>
  )
}

/** The risks as badges, the problems and the note below. */
function SuggestionFacts({ slug, row }: { slug: string; row: SuggestionRow }) {
  const { t } = useTranslation('work')
  const { t: inEditor } = useTranslation('editor')
  const { language, namespace, key, problems } = row
  const { data } = useQuery({
    queryKey: ['project', slug, 'context', language, namespace, key],
    queryFn: ({ signal }) => answer(getKeyContext({ slug, language, $namespace: namespace, key }, { signal })),
    // The note helps; a review goes on without it.
    retry: false,
  })
  const risks = risksOf(row)
  return (
    <>
      {risks.length > 0 && (
        <ul className="row2" aria-label={t('attention')}>
          {risks.map(risk => (
            <li key={risk}>
              <Badge kind={risk === 'placeholders' || risk === 'long' ? 'info' : 'warn'} mark={<TriangleAlert />}>
                {t(`risk.${risk}`)}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {problems.length > 0 && (
        <ul className={`stack1 ${styles.problems}`} aria-label={t('risk.problems')}>
          {problems.flatMap(({ form, ...problem }) =>
            differencesOf(problem).map(difference => {
              const sentence = [form, sentenceOf(difference, inEditor)].filter(Boolean).join(': ')
              return <li key={sentence}>{sentence}</li>
            }),
          )}
        </ul>
      )}
      {data?.note !== undefined && (
        <p className={styles.note} dir="auto">
          <span className="quiet">{t('note')}</span> {data.note}
        </p>
      )}
    </>
  )
}

const textsOf = (message: unknown) => new Map(linesOf(partsOf(message as Message | null)))

/** The source, the present text, and the suggestion with what it changes. */
function SuggestedTexts({ slug, row }: { slug: string; row: SuggestionRow }) {
  const { t } = useTranslation('work')
  const { language } = row
  const sourceLanguage = useManifest(slug).data?.sourceLanguage ?? language
  const present = textsOf(row.present)
  return (
    <dl className={styles.texts}>
      <dt>{t('source')}</dt>
      <Lines texts={textsOf(row.source)} language={sourceLanguage} none={t('noSource')} />
      <dt>{t('present')}</dt>
      <Lines texts={present} language={language} none={t('noText')} />
      <dt>{t('suggestion')}</dt>
      <Lines texts={textsOf(row.message)} language={language} before={present} />
    </dl>
  )
}

interface LinesProps {
  /** By ending of the form. */
  texts: ReadonlyMap<string, string>
  language: string
  /** Texts that those replace. */
  before?: ReadonlyMap<string, string>
  /** What stands in place of no texts. */
  none?: string
}

/** One line for each form. */
function Lines({ texts, language, before, none }: LinesProps) {
  if (texts.size === 0) return <dd className="quiet">{none}</dd>
  return [...texts].map(([ending, text]) => (
    <dd key={ending}>
      {ending !== '' && <span className="quiet">{ending.slice(1)}</span>}
      {before?.has(ending) ? (
        <Diff before={before.get(ending)!} after={text} language={language} />
      ) : (
        <span className={styles.text} lang={language} dir={directionOf(language)}>
          <Isolated text={text} />
        </span>
      )}
    </dd>
  ))
}

/** By ending of the form. None for a message of several kinds: the API has no value for it. */
function editableTexts({ message }: SuggestionRow): Record<string, string> {
  const parts = partsOf(message as Message)
  const kinds = [parts.text, parts.cardinal, parts.ordinal].filter(part => part !== undefined)
  return kinds.length === 1 && parts.ordinal === undefined ? Object.fromEntries(linesOf(parts)) : {}
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
  return { ...(areTexts && { texts }), ...(typeof reason === 'string' && reason !== '' && { reason }) }
})
