/** The inbox, what became of the reader's own suggestions, and how the reader hears of new items elsewhere. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { AtSign, CircleCheck, CircleX, ClockAlert, MessageSquarePlus, Reply } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, serverAddress } from '../api/answer.ts'
import {
  getInbox,
  getInboxFeed,
  getInboxSettings,
  type InboxItem,
  readInbox,
  renewInboxFeed,
  setInboxSettings,
} from '../api/late-client.ts'
import { useProjects } from '../api/queries.ts'
import { languageName } from '../i18n/languages.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { useSubmission, Wrong } from '../ui/form.tsx'
import { projectAddress } from '../ui/location.ts'
import { Loaded, Section } from '../ui/page.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { When } from '../ui/when.tsx'
import styles from './work.module.css'

const ICONS = {
  mention: AtSign,
  reply: Reply,
  suggestion: MessageSquarePlus,
  accepted: CircleCheck,
  rejected: CircleX,
  stale: ClockAlert,
} as const

/** Key of the query of the inbox, for writes that outdate it. */
const INBOX = ['inbox'] as const

/** Milliseconds between reads of the inbox. No event reports a new item. */
const INTERVAL_MS = 60_000

/** Items by page, the newest first: the unread ones, or decisions on own suggestions, read or not. */
const useInbox = ({ decided = false, enabled = true } = {}) =>
  useInfiniteQuery({
    queryKey: decided ? [...INBOX, 'decided'] : INBOX,
    queryFn: ({ pageParam: cursor, signal }) =>
      answer(getInbox({ decided: decided ? 'true' : undefined, cursor }, { signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    enabled,
    ...(!decided && { staleTime: INTERVAL_MS / 2, refetchInterval: INTERVAL_MS }),
  })

/** The unread items; what is marked as read leaves the list. */
export function InboxSection() {
  const { t } = useTranslation('work')
  const client = useQueryClient()
  const inbox = useInbox()
  const { pending, problem, send } = useSubmission()
  const newest = inbox.data?.pages.flatMap(({ items }) => items)[0]
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
      <InboxList read={inbox} none={t('inboxEmpty')} />
    </Section>
  )
}

/** A button, and the decisions that it shows. */
export function DecidedSuggestions() {
  const { t } = useTranslation('work')
  const [isOpen, setOpen] = useState(false)
  const decided = useInbox({ decided: true, enabled: isOpen })
  return (
    <>
      <div>
        <Button small aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {t('decided')}
        </Button>
      </div>
      {isOpen && <InboxList read={decided} none={t('noneDecided')} />}
    </>
  )
}

/** A button reads further pages. @param none what stands in place of no items */
function InboxList({ read, none }: { read: ReturnType<typeof useInbox>; none: string }) {
  const { t } = useTranslation('work')
  return (
    <>
      <Loaded read={read}>
        {({ pages }) => {
          const items = pages.flatMap(page => page.items)
          if (items.length === 0 && !read.hasNextPage) return <p className="quiet">{none}</p>
          return (
            <ul className={styles.list}>
              {items.map(item => (
                <InboxRow key={item.id} item={item} />
              ))}
            </ul>
          )
        }}
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

const FEED = ['inbox-feed'] as const
const DIGEST = ['inbox-settings'] as const

/** How the reader hears of new items elsewhere: the feed and, where the server sends mail, a mail a day. */
export function FeedSection() {
  const { t } = useTranslation('work')
  const client = useQueryClient()
  // Its address is a secret of the reader.
  const feed = useQuery({ queryKey: FEED, queryFn: () => answer(getInboxFeed()), staleTime: 0 })
  const digest = useQuery({ queryKey: DIGEST, queryFn: () => answer(getInboxSettings()) })
  const { pending, problem, send } = useSubmission()
  const renew = async () => {
    client.setQueryData(FEED, await answer(renewInboxFeed()))
    return t('feedCreated')
  }
  const turn = (digest: boolean) =>
    send(async () => {
      client.setQueryData(DIGEST, await answer(setInboxSettings({ newInboxSettings: { digest } })))
      return t(digest ? 'digestOn' : 'digestOff')
    })
  return (
    <Section title={t('elsewhere')}>
      <Wrong problem={problem} />
      <Loaded read={feed} lines={1}>
        {({ url }) =>
          url === null ? (
            <div className={styles.links}>
              <span className="quiet">{t('feedWhy')}</span>
              <Button small isPending={pending} onPress={() => send(renew)}>
                {t('createFeed')}
              </Button>
            </div>
          ) : (
            <>
              <Snippet label={t('feedAddress')} code={url.startsWith('/') ? serverAddress() + url : url} />
              <div className={styles.links}>
                <span className="quiet">{t('feedSecret')}</span>
                <ConfirmButton small words={t('renewFeed')} onConfirm={async () => announce(await renew())}>
                  <p>{t('renewFeedWhy')}</p>
                </ConfirmButton>
              </div>
            </>
          )
        }
      </Loaded>
      {digest.data?.mail && (
        <label className={styles.links}>
          <input
            type="checkbox"
            checked={digest.data.digest}
            disabled={pending}
            onChange={event => void turn(event.currentTarget.checked)}
          />
          {t('digest')}
        </label>
      )}
    </Section>
  )
}
