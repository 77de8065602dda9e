/** Earlier texts of a key, beside its field in the editor. */
import { useTranslation } from 'react-i18next'
import { Loaded } from '../ui/page.tsx'
import { When } from '../ui/when.tsx'
import { ChangedTexts, ShowMore } from './changes.tsx'
import styles from './history.module.css'
import { Done, RestoreButton } from './revert.tsx'
import { useHistory } from './use-history.ts'

/** Commits of a page: the list is small. */
const FEW = 10

/** Each change of one key in one language, the newest first, with the way back to it. */
export function KeyHistory({ of }: { of: { slug: string; language: string; namespace: string; key: string } }) {
  const { slug, ...part } = of
  const { t } = useTranslation('history')
  const history = useHistory(slug, part, FEW)
  return (
    <>
      <Done slug={slug} />
      <Loaded read={history}>
        {({ pages }) => (
          <ul className="stack3">
            {pages
              .flatMap(({ revisions }) => revisions)
              .map(({ revision, author, date, before, after }, at) => (
                <li key={revision}>
                  <p className={styles.about}>
                    {author.name} <When date={date} />
                    {at > 0 && <RestoreButton slug={slug} at={revision} part={part} label={t('restoreThis')} />}
                  </p>
                  <ChangedTexts before={before} after={after} language={part.language} />
                </li>
              ))}
          </ul>
        )}
      </Loaded>
      <ShowMore of={history} small />
    </>
  )
}
