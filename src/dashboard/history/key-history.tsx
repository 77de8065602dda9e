/** Earlier texts of a key, beside its field in the editor. */
import { useTranslation } from 'react-i18next'
import { Button } from '../ui/button.tsx'
import { Loaded } from '../ui/state.tsx'
import { When } from '../ui/when.tsx'
import { ChangedTexts } from './changed-texts.tsx'
import { Done } from './done.tsx'
import styles from './history.module.css'
import { RestoreButton } from './restore-button.tsx'
import { useHistory } from './use-history.ts'

/** Commits of a page: the list is small. */
const FEW = 10

/** The key. React reserves the name `key`. */
interface Place {
  slug: string
  language: string
  namespace: string
  key: string
}

/** Each change of one key in one language, the newest first, with the way back to it. */
export function KeyHistory({ of }: { of: Place }) {
  const { slug, language, namespace, key } = of
  const { t } = useTranslation('history')
  const history = useHistory(slug, { language, namespace, key }, FEW)
  const commits = history.data?.pages.flatMap(({ revisions }) => revisions) ?? []
  return (
    <>
      <Done slug={slug} />
      <Loaded read={history}>
        {() => (
          <ul className={styles.changes}>
            {commits.map(({ revision, author, date, before, after }, at) => (
              <li key={revision}>
                <p className={styles.about}>
                  {author.name} <When date={date} />
                  {at > 0 && (
                    <RestoreButton
                      slug={slug}
                      at={revision}
                      wanted={{ language, namespace, key }}
                      label={t('restoreThis')}
                    />
                  )}
                </p>
                <ChangedTexts before={before} after={after} language={language} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {history.hasNextPage && (
        <Button small isPending={history.isFetchingNextPage} onPress={() => void history.fetchNextPage()}>
          {t('showMore')}
        </Button>
      )}
    </>
  )
}
