/** The audit trail, for owners. */
import { useInfiniteQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type AuditEntry, getAudit, type LanguageRight, type Token } from '../api/client.ts'
import { roleName } from '../api/rights.ts'
import { useMember } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Empty, Loaded } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import table from '../ui/table.module.css'
import { When } from '../ui/when.tsx'
import { scopeWords, useFormerMembers, useMembers } from './queries.ts'
import { useRightsWords } from './rights.tsx'
import styles from './team.module.css'
import { TeamPage } from './team-page.tsx'

export default function AuditPage() {
  const { t } = useTranslation('team')
  const { who } = useMember()
  return (
    <TeamPage title={t('audit')} lead={t('auditWhy')}>
      {who.role === 'owner' ? <AuditTrail /> : <Notice>{t('forOwners')}</Notice>}
    </TeamPage>
  )
}

const ALL: { what: Event | 'all'; user: string } = { what: 'all', user: 'all' }

function AuditTrail() {
  const { t } = useTranslation('team')
  const people = usePeople()
  const [{ what, user }, setFilter] = useState(ALL)
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
      <div className={`row3 ${styles.filters}`}>
        <Select
          label={t('what')}
          choices={[{ id: 'all', label: t('everything') }, ...EVENTS.map(id => ({ id, label: eventName(id, t) }))]}
          value={what}
          onChange={what => setFilter({ what, user })}
        />
        <Select
          label={t('whom')}
          choices={[{ id: 'all', label: t('everybody') }, ...people]}
          value={user}
          onChange={user => setFilter({ what, user })}
        />
      </div>
      <Loaded read={trail} lines={8}>
        {({ pages }) => {
          const entries = pages.flatMap(page => page.entries)
          if (entries.length > 0) return <AuditEntries entries={entries} />
          return (
            <Empty
              icon={<ScrollText aria-hidden />}
              title={t('nothingNoted')}
              action={<Button onPress={() => setFilter(ALL)}>{t('everything')}</Button>}
            />
          )
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
function usePeople() {
  const { t } = useTranslation('team')
  const { data: members = [] } = useMembers()
  const { data: gone = new Map<string, string>() } = useFormerMembers()
  const former = [...gone].filter(([id]) => !members.some(({ userId }) => userId === id))
  return [
    ...members.map(({ userId, user }) => ({ id: userId, label: user.name, note: user.email })),
    ...former.map(([id, email]) => ({ id, label: email, note: t('noLongerMember') })),
  ]
}

function AuditEntries({ entries }: { entries: readonly AuditEntry[] }) {
  const { t } = useTranslation('team')
  const wordsOf = useRightsWords()
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
                <span className={styles.person}>{sentenceOf(entry, t, wordsOf)}</span>
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

type Event = AuditEntry['what']

/** The text of each, by what they are about. */
const WORDS: Record<Event, string> = {
  'sign-in': 'team:eventSignIn',
  'sign-in-failed': 'team:eventSignInFailed',
  'sign-out': 'team:eventSignOut',
  'sign-up': 'team:eventSignUp',
  'password-changed': 'team:eventPasswordChanged',
  'password-reset': 'team:eventPasswordReset',
  'second-factor-on': 'team:eventSecondFactorOn',
  'second-factor-off': 'team:eventSecondFactorOff',
  'second-factor-failed': 'team:eventSecondFactorFailed',
  'backup-code-used': 'team:eventBackupCodeUsed',
  'backup-codes-renewed': 'team:eventBackupCodesRenewed',
  'identity-linked': 'team:eventIdentityLinked',
  'token-minted': 'team:eventTokenMinted',
  'token-revoked': 'team:eventTokenRevoked',
  'invitation-made': 'team:eventInvitationMade',
  'invitation-withdrawn': 'team:eventInvitationWithdrawn',
  'invitation-accepted': 'team:eventInvitationAccepted',
  'invitation-declined': 'team:eventInvitationDeclined',
  'member-added': 'team:eventMemberAdded',
  'member-removed': 'team:eventMemberRemoved',
  'member-left': 'team:eventMemberLeft',
  'role-changed': 'team:eventRoleChanged',
  'rights-changed': 'team:eventRightsChanged',
  'feed-renewed': 'team:eventFeedRenewed',
  'organization-made': 'team:eventOrganizationMade',
  'organization-renamed': 'team:eventOrganizationRenamed',
  'organization-deleted': 'team:eventOrganizationDeleted',
}

const EVENTS = Object.keys(WORDS) as readonly Event[]

/** @param t of any namespace */
const eventName = (event: Event, t: TFunction): string => t(WORDS[event])

/** Events with a role as their state. */
const OF_A_ROLE = /^(?:invitation|member)-/

type RightsWords = ReturnType<typeof useRightsWords>

/** The name of a state: a role, a token's scope, rights, else the state itself. */
function named(what: Event, state: string, t: TFunction, wordsOf: RightsWords): string {
  if (what === 'rights-changed') return wordsOf(JSON.parse(state) as LanguageRight[])
  if (what.startsWith('token-')) return scopeWords(state as Token['scope'], t).label
  if (OF_A_ROLE.test(what)) return t('team:eventRole', { role: roleName(state, t) })
  return what === 'role-changed' ? roleName(state, t) : state
}

/** The event with its subject: `Role changed: bob@example.com, from Member to Admin`. */
function sentenceOf({ what, who, about, from, to }: AuditEntry, t: TFunction, wordsOf: RightsWords): string {
  const name = about && about.name !== who?.email ? about.name : ''
  const states = [from, to].flatMap(state => (state === null ? [] : named(what, state, t, wordsOf)))
  if (what === 'rights-changed' && to === null) states.push(wordsOf(null))
  const change = states.length === 2 ? t('team:fromTo', { from: states[0], to: states[1] }) : states.join('')
  const details = name !== '' && change !== '' ? t('team:eventDetails', { name, change }) : name || change
  return details === '' ? eventName(what, t) : t('team:eventAbout', { event: eventName(what, t), details })
}
