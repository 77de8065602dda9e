/** The suggestions that wait for the text in hand. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../../../api/answer.ts'
import { listSuggestions } from '../../../api/late-client.ts'
import { afterFocus } from '../../../ui/focus.ts'
import { Loaded } from '../../../ui/state.tsx'
import { useEditor } from '../../editor-context.ts'
import { suggestionsKey } from '../../saving/cached-marks.ts'
import styles from '../contributions.module.css'
import { type PanelSubject, Section, useInField } from '../section.tsx'
import { SuggestionView } from './suggestion-view.tsx'

/** Lines of a suggestion that is still to come. */
const LINES = 3
/** The server's maximum of suggestions for a key is below it. */
const LIMIT = 100

/** The oldest first. Nothing for a key without suggestions. */
export function SuggestionsSection(subject: PanelSubject) {
  const { row, target } = subject
  const { t } = useTranslation('suggestions')
  const { slug, columns, marks, actions } = useEditor()
  const has = marks[target]!.suggested.has(row.id)
  const { namespace, key } = row
  const language = columns.targets[target]!
  const queries = useQueryClient()
  const inField = useInField(subject)
  const read = useQuery({
    queryKey: [...suggestionsKey(slug, language), namespace, key],
    enabled: has,
    queryFn: ({ signal }) =>
      answer(listSuggestions({ slug, language, $namespace: namespace, key, limit: LIMIT }, { signal })).then(
        ({ suggestions }) => suggestions,
      ),
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
          <ul ref={list} className={styles.list}>
            {suggestions.map(suggestion => (
              <SuggestionView
                key={suggestion.id}
                slug={slug}
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
