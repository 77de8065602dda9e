/** Who saved the text that is there now. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'
import { useEditor } from './editor-context.ts'

/** A quiet line; nothing until the history is read. */
export function LastAuthor({ place }: { place: { language: string; namespace: string; key: string } }) {
  const { t } = useTranslation('editor')
  const { slug } = useEditor()
  const { language, namespace, key } = place
  const { data: author } = useQuery({
    queryKey: ['project', slug, 'history', 'author', language, namespace, key],
    queryFn: ({ signal }) =>
      answer(getHistory({ slug, language, $namespace: namespace, key, limit: 1 }, { signal })).then(
        ({ revisions }) => revisions[0]?.author.name ?? null,
      ),
    staleTime: 0,
  })
  return author == null ? null : <p className="quiet">{t('changedBy', { name: author })}</p>
}
