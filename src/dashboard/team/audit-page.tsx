/** The audit trail, for owners. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type AuditEntry, getAudit } from '../api/client.ts'
import { useMember } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Select } from '../ui/select.tsx'
import type { SelectChoice } from '../ui/select-list.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import { AuditEntries } from './audit-entries.tsx'
import { EVENTS, eventName } from './audit-words.ts'
import { useFormerMembers, useMembers } from './queries.ts'
import styles from './team.module.css'
import { TeamPage } from './team-page.tsx'

/** In words, by what and whom. */
export default function AuditPage() {
  const { t } = useTranslation('team')
  const { who } = useMember()
  return (
    <TeamPage title={t('audit')} lead={t('auditWhy')}>
      {who.role === 'owner' ? <AuditTrail /> : <Notice>{t('forOwners')}</Notice>}
    </TeamPage>
  )
}

/** By what happened and by whom, a page at a time. */
function AuditTrail() {
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
  const showAll = () => {
    setWhat('all')
    setUser('all')
  }
  return (
    <>
      <div className={styles.filters}>
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
          if (entries.length === 0)
            return (
              <Empty
                icon={<ScrollText aria-hidden />}
                title={t('nothingNoted')}
                action={<Button onPress={showAll}>{t('everything')}</Button>}
              />
            )
          return <AuditEntries entries={entries} />
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

/** Members, then former members: the trail has entries of both. */
function usePeople(): SelectChoice[] {
  const { t } = useTranslation('team')
  const { data: members = [] } = useMembers()
  const { data: gone = [] } = useFormerMembers()
  const here = new Set(members.map(({ userId }) => userId))
  return [
    ...members.map(({ userId, user }) => ({ id: userId, label: user.name, note: user.email })),
    ...gone.filter(({ id }) => !here.has(id)).map(({ id, email }) => ({ id, label: email, note: t('noLongerMember') })),
  ]
}
