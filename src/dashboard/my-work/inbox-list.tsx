/** Items of the inbox, each with a link to its text. */
import { AtSign, CircleCheck, CircleX, ClockAlert, MessageSquarePlus, Reply } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { InboxItem } from '../api/late-client.ts'
import { useProjects } from '../api/queries.ts'
import { languageName } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { projectAddress } from '../ui/location.ts'
import { Loaded } from '../ui/state.tsx'
import { When } from '../ui/when.tsx'
import type { useInbox } from './inbox-reads.ts'
import styles from './work.module.css'

const ICONS = {
  mention: AtSign,
  reply: Reply,
  suggestion: MessageSquarePlus,
  accepted: CircleCheck,
  rejected: CircleX,
  stale: ClockAlert,
} as const

interface Props {
  read: ReturnType<typeof useInbox>
  /** What stands in place of no items. */
  none: string
}

/** The newest first; a button reads further pages. */
export function InboxList({ read: { data, ...read }, none }: Props) {
  const { t } = useTranslation('work')
  const items = data?.pages.flatMap(page => page.items)
  return (
    <>
      <Loaded read={{ ...read, data: items }}>
        {items =>
          items.length === 0 && !read.hasNextPage ? (
            <p className="quiet">{none}</p>
          ) : (
            <ul className={styles.list}>
              {items.map(item => (
                <InboxRow key={item.id} item={item} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {read.hasNextPage && (
        <div>
          <Button small isPending={read.isFetchingNextPage} onPress={() => read.fetchNextPage()}>
            {t('older')}
          </Button>
        </div>
      )}
    </>
  )
}

function InboxRow({ item: { kind, by, project, language, namespace, key, keys, date, text } }: { item: InboxItem }) {
  const { t, i18n } = useTranslation('work')
  const { data } = useProjects()
  const of = data?.find(({ slug }) => slug === project)
  const Icon = ICONS[kind]
  const shown = language ?? of?.sourceLanguage
  const to =
    kind === 'suggestion' && language !== undefined
      ? `${projectAddress(project)}/review/${encodeURIComponent(language)}`
      : projectAddress(project, shown, namespace, shown === undefined ? undefined : key)
  return (
    <li className={styles.row}>
      <span>
        <Icon aria-hidden className={styles.icon} /> <a href={`#${to}`}>{t(`item.${kind}`, { name: by.name, key })}</a>
        {keys !== undefined && ` ${t('andMore', { count: keys - 1 })}`}
        {text !== undefined && (
          <span className={styles.quote} dir="auto">
            {text}
          </span>
        )}
      </span>
      <span className="quiet">
        {language !== undefined && <>{languageName(language, i18n.language)} · </>}
        {of?.name ?? project} · <When date={date} />
      </span>
    </li>
  )
}
