/** The last change of a text. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'
import { projectAddress } from '../ui/location.ts'

/** Who, when, and the commit in its history. */
export function LastChange({ of }: { of: { slug: string; language: string; namespace: string; key: string } }) {
  const { slug, language, namespace, key } = of
  const { t, i18n } = useTranslation('editor')
  const { data: last, isFetching } = useQuery({
    queryKey: ['project', slug, 'history', 'last', language, namespace, key],
    queryFn: ({ signal }) =>
      answer(getHistory({ slug, language, $namespace: namespace, key, limit: 1 }, { signal })).then(
        ({ revisions }) => revisions[0] ?? null,
      ),
  })
  if (last === undefined) return <span data-coming={isFetching}>…</span>
  if (last === null) return t('neverChanged')
  const time = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' })
  const address = new URLSearchParams({ language, namespace, key, commit: last.revision })
  return (
    <>
      <bdi>{last.author.name}</bdi> · <bdi>{time.format(new Date(last.date))}</bdi> ·{' '}
      <a href={`#${projectAddress(slug)}/history?${address}`}>
        <bdi>{last.subject}</bdi>
      </a>
    </>
  )
}
