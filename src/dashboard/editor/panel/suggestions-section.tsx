/** The suggestions that wait for the text in hand. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, PenLine, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../bundle/message.ts'
import { ApiProblem, answer } from '../../api/answer.ts'
import { acceptSuggestions, listSuggestions, rejectSuggestions, type SuggestionRow } from '../../api/late-client.ts'
import { isAtLeast } from '../../api/rights.ts'
import { useMember } from '../../api/session.ts'
import { ownWrite } from '../../live/live.ts'
import { Diff } from '../../ui/diff.tsx'
import { afterFocus } from '../../ui/focus.ts'
import { TextField, useSubmission, Wrong } from '../../ui/form.tsx'
import { Badge } from '../../ui/notice.tsx'
import { Loaded } from '../../ui/page.tsx'
import { useEditor } from '../editor-context.ts'
import { problemName } from '../model/filter.ts'
import { textsOf } from '../model/leaves.ts'
import { suggestionsKey } from '../saving/cached.ts'
import styles from './panel.module.css'
import {
  Byline,
  FormName,
  IconButton,
  PanelForm,
  type PanelSubject,
  Section,
  useInField,
  usePanelForm,
} from './section.tsx'

/** Lines of a suggestion that is still to come. */
const LINES = 3
/** The server's maximum of suggestions for a key is below it. */
const LIMIT = 100
/** Characters of a reason that the server stores. */
const MOST_OF_REASON = 200

/** The oldest first. Nothing for a key without suggestions. */
export function SuggestionsSection(subject: PanelSubject) {
  const { row, target, language } = subject
  const { namespace, key } = row
  const { t } = useTranslation('suggestions')
  const { slug, marks, actions } = useEditor()
  const has = marks[target]!.suggested.has(row.id)
  const queries = useQueryClient()
  const inField = useInField(subject)
  const read = useQuery({
    queryKey: [...suggestionsKey(slug, language), namespace, key],
    enabled: has,
    queryFn: async ({ signal }) =>
      (await answer(listSuggestions({ slug, language, $namespace: namespace, key, limit: LIMIT }, { signal })))
        .suggestions,
  })
  const list = useRef<HTMLUListElement>(null)
  if (!has || read.data?.length === 0) return null
  /** The focused button disappears with its suggestion. */
  const done = async () => {
    await queries.invalidateQueries({ queryKey: ['project', slug] })
    afterFocus(() => {
      const next = list.current?.querySelector<HTMLElement>('button')
      if (next) next.focus()
      else actions.go(row.id, target, { isEditing: true })
    })
  }
  return (
    <Section title={t('title')}>
      <Loaded read={read} lines={LINES}>
        {suggestions => (
          <ul ref={list} className="stack3">
            {suggestions.map(suggestion => (
              <SuggestionView
                key={suggestion.id}
                target={target}
                suggestion={suggestion}
                use={text => inField(field => field.replaceAll(text))}
                onDone={done}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}

interface ViewProps {
  /** The number of the language among the targets. */
  target: number
  suggestion: SuggestionRow
  /** Puts a text into the field in hand. */
  use: (text: string) => void
  /** Called after a write that ends the suggestion. */
  onDone: () => Promise<void>
}

function SuggestionView({ target, suggestion, use, onDone }: ViewProps) {
  const { t } = useTranslation('suggestions')
  const { user } = useMember()
  const { slug, permits, t: inEditor } = useEditor()
  const permit = permits[target]!
  const { pending, problem, send } = useSubmission()
  const form = usePanelForm<HTMLLIElement>(false)
  const [reason, setReason] = useState('')
  const { id, language, by, at, message, present, fits, problems } = suggestion
  const isOwn = typeof by !== 'string' && by.id === user.id
  const author = typeof by === 'string' ? by : by.name
  const mayReview = isAtLeast(permit, 'review')
  const [now, then] = [textsOf((present ?? undefined) as Message | undefined), textsOf(message as Message)]
  const endings = [...new Set([...Object.keys(then), ...Object.keys(now)])]
  const kinds = [...new Set(problems.map(({ kind }) => problemName(kind, inEditor)))]
  const end = async (write: Promise<{ conflicts: { why: 'source-changed' | 'gone' | 'own' }[] }>, words: string) => {
    const [conflict] = (await write).conflicts
    if (conflict) throw new ApiProblem(409, t(`why.${conflict.why}`))
    return words
  }
  const sendEnd = async (write: () => Promise<string>) => {
    if (await send(() => ownWrite(write))) await onDone()
  }
  const accept = () => {
    const accepting = { language, ids: [id], ...(!fits && { anyway: true }) }
    return sendEnd(() => end(answer(acceptSuggestions({ slug, accepting })), t('accepted', { author })))
  }
  const reject = (reason: string) => {
    const rejecting = { language, ids: [id], ...(reason !== '' && { reason }) }
    const words = t(isOwn ? 'withdrawn' : 'rejected', { author })
    return sendEnd(() => end(answer(rejectSuggestions({ slug, rejecting })), words))
  }
  return (
    <li ref={form.own} className="stack1" aria-label={t('by', { author })}>
      <Byline by={author} at={at} />
      {endings.map(ending => (
        <p key={ending} className={styles.words}>
          {endings.length > 1 && <FormName ending={ending} />}
          <Diff before={now[ending] ?? ''} after={then[ending] ?? ''} language={language} />
        </p>
      ))}
      {(!fits || kinds.length > 0) && (
        <p className="row1">
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
      {form.isOpen ? (
        <PanelForm
          label={t('rejectOf', { author })}
          doIt={t('reject')}
          problem={problem}
          isPending={pending}
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
            autoFocus={form.isEntered}
          />
        </PanelForm>
      ) : (
        <>
          <Wrong problem={problem} />
          <div className="row1">
            {mayReview && !(isOwn && permit.fourEyes) && (
              <IconButton
                look="plain"
                icon={Check}
                aria-label={t(fits ? 'acceptOf' : 'acceptAnywayOf', { author })}
                isPending={pending}
                onPress={() => void accept()}
              >
                {t(fits ? 'accept' : 'acceptAnyway')}
              </IconButton>
            )}
            {mayReview && !isOwn && (
              <IconButton icon={X} aria-label={t('rejectOf', { author })} data-edit onPress={form.open}>
                {t('reject')}
              </IconButton>
            )}
            {isOwn && permit.level !== 'read' && (
              <IconButton icon={X} isPending={pending} onPress={() => void reject('')}>
                {t('withdraw')}
              </IconButton>
            )}
            {permit.mode !== 'read' && endings.length === 1 && (
              <IconButton
                icon={PenLine}
                aria-label={t('editOf', { author })}
                onPress={() => use(then[endings[0]!] ?? '')}
              >
                {t('common:edit')}
              </IconButton>
            )}
          </div>
        </>
      )}
    </li>
  )
}
