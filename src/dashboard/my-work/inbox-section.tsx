/** The unread items of the inbox. */
import { useQueryClient } from '@tanstack/react-query'
import { AtSign, CircleCheck, CircleX, ClockAlert, MessageSquarePlus, Reply } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type InboxItem, readInbox } from '../api/late-client.ts'
import { useProjects } from '../api/queries.ts'
import { languageName } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { Wrong } from '../ui/form.tsx'
import { projectAddress } from '../ui/location.ts'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { When } from '../ui/when.tsx'
import { INBOX, useInbox } from './inbox-reads.ts'
import styles from './work.module.css'

const ICONS = {
  mention: AtSign,
  reply: Reply,
  suggestion: MessageSquarePlus,
  accepted: CircleCheck,
  rejected: CircleX,
  stale: ClockAlert,
} as const

/** The newest first; what is marked as read leaves the list. */
export function InboxSection() {
  const { t } = useTranslation('work')
  const client = useQueryClient()
  const inbox = useInbox()
  const { pending, problem, send } = useSubmission()
  const read = { ...inbox, data: inbox.data?.pages.flatMap(({ items }) => items) }
  const newest = read.data?.[0]
  const readAll = () =>
    send(async () => {
      // Items that came meanwhile stay unread.
      await answer(readInbox({ readUntil: { until: newest!.id } }))
      await client.invalidateQueries({ queryKey: INBOX })
      return t('allRead')
    })
  return (
    <Section
      title={t('inbox')}
      actions={
        newest && (
          <Button small isPending={pending} onPress={readAll}>
            {t('readAll')}
          </Button>
        )
      }
    >
      <Wrong problem={problem} />
      <Loaded read={read}>
        {items =>
          items.length === 0 && !inbox.hasNextPage ? (
            <p className="quiet">{t('inboxEmpty')}</p>
          ) : (
            <ul className={styles.list}>
              {items.map(item => (
                <Item key={item.id} item={item} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {inbox.hasNextPage && (
        <div>
          <Button small isPending={inbox.isFetchingNextPage} onPress={() => inbox.fetchNextPage()}>
            {t('older')}
          </Button>
        </div>
      )}
    </Section>
  )
}

function Item({ item: { kind, by, project, language, namespace, key, keys, date, text } }: { item: InboxItem }) {
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
