/** The suggestions that wait for the text in hand. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../../../api/answer.ts'
import { listSuggestions } from '../../../api/late-client.ts'
import { afterFocus } from '../../../ui/focus.ts'
import { Loaded } from '../../../ui/state.tsx'
import { useEditor } from '../../editor-context.ts'
import type { KeyAddress } from '../../saving/write-key.ts'
import { suggestionsKey } from '../../suggestions-key.ts'
import styles from '../contributions.module.css'
import type { PanelSubject } from '../panel-subject.ts'
import { Section } from '../section.tsx'
import { SuggestionView } from './suggestion-view.tsx'

/** Lines of a suggestion that is still to come. */
const LINES = 3

/** The oldest first. Nothing for a key without suggestions. */
export function SuggestionsSection({ row, target, use }: PanelSubject) {
  const { t } = useTranslation('suggestions')
  const { slug, columns, marks, actions } = useEditor()
  const has = marks[target]!.suggested.has(row.id)
  const place = { slug, language: columns.targets[target]!, namespace: row.namespace, key: row.key }
  const { read, refresh } = useSuggestions(place, has)
  const list = useRef<HTMLUListElement>(null)
  if (!has || read.data?.length === 0) return null
  /** The focused button disappears with its suggestion. */
  const done = async () => {
    await refresh()
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
                use={use}
                onDone={done}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}

/** Maximum of suggestions for a key on the server is below it. */
const LIMIT = 100

/** Live events outdate them. @param has whether the key has some: otherwise nothing is requested */
function useSuggestions({ slug, language, namespace, key }: KeyAddress, has: boolean) {
  const queries = useQueryClient()
  const start = suggestionsKey(slug, language)
  const read = useQuery({
    queryKey: [...start, namespace, key],
    enabled: has,
    queryFn: ({ signal }) =>
      answer(listSuggestions({ slug, language, $namespace: namespace, key, limit: LIMIT }, { signal })).then(
        ({ suggestions }) => suggestions,
      ),
  })
  return { read, refresh: () => queries.invalidateQueries({ queryKey: ['project', slug] }) }
}
