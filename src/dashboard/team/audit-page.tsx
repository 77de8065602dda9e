/** The audit trail, for owners. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type AuditEntry, getAudit } from '../api/client.ts'
import { useMember } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { type Choice, Select } from '../ui/select.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import table from '../ui/table.module.css'
import { When } from '../ui/when.tsx'
import { EVENTS, eventName, sentenceOf } from './audit-words.ts'
import { useGone, useMembers } from './queries.ts'
import styles from './team.module.css'
import { TeamPage } from './team-page.tsx'

/** In words, by what and whom. */
export default function AuditPage() {
  const { t } = useTranslation('team')
  const { who } = useMember()
  return (
    <TeamPage title={t('audit')} lead={t('auditWhy')}>
      {who.role === 'owner' ? <Trail /> : <Notice>{t('forOwners')}</Notice>}
    </TeamPage>
  )
}

function Trail() {
  const { t } = useTranslation('team')
  const people = usePeople()
  const [what, setWhat] = useState<AuditEntry['what'] | 'all'>('all')
  const [user, setUser] = useState('all')
  const filter = { ...(what !== 'all' && { what }), ...(user !== 'all' && { user }) }
  const trail = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam }) => answer(getAudit({ ...filter, limit: 50, ...(pageParam && { cursor: pageParam }) })),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  })
  return (
    <>
      <div className={styles.line}>
        <Select
          label={t('what')}
          choices={[{ id: 'all', label: t('everything') }, ...EVENTS.map(id => ({ id, label: eventName(id, t) }))]}
          value={what}
          onChange={setWhat}
        />
        <Select
          label={t('whom')}
          choices={[{ id: 'all', label: t('everybody') }, ...people]}
          value={user}
          onChange={setUser}
        />
      </div>
      <Loaded read={trail} lines={8}>
        {({ pages }) => {
          const entries = pages.flatMap(page => page.entries)
          if (entries.length === 0) return <Empty title={t('nothingNoted')} />
          return <Entries entries={entries} />
        }}
      </Loaded>
      {trail.hasNextPage && (
        <div className={styles.more}>
          <Button isPending={trail.isFetchingNextPage} onPress={() => void trail.fetchNextPage()}>
            {t('older')}
          </Button>
        </div>
      )}
    </>
  )
}

/** Members, and below them those who were: the trail tells of both. */
function usePeople(): Choice[] {
  const { t } = useTranslation('team')
  const { data: members = [] } = useMembers()
  const { data: gone = [] } = useGone()
  const here = new Set(members.map(({ userId }) => userId))
  return [
    ...members.map(({ userId, user }) => ({ id: userId, label: user.name, note: user.email })),
    ...gone.filter(({ id }) => !here.has(id)).map(({ id, email }) => ({ id, label: email, note: t('noLongerMember') })),
  ]
}

function Entries({ entries }: { entries: readonly AuditEntry[] }) {
  const { t } = useTranslation('team')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard (WCAG 2.1.1)
    <div className={table.frame} tabIndex={0} role="region" aria-label={t('audit')}>
      <table className={`${table.table} ${table.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('happened')}</th>
            <th scope="col">{t('by')}</th>
            <th scope="col">{t('from')}</th>
            <th scope="col">{t('when')}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(entry => (
            <tr key={entry.id}>
              <th scope="row">
                <span className={styles.person}>{sentenceOf(entry, t)}</span>
              </th>
              <td>{entry.who?.email ?? (entry.by === 'operator' ? t('operator') : t('nobody'))}</td>
              <td>{entry.address !== null && <code>{entry.address}</code>}</td>
              <td>
                <When date={entry.time} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
