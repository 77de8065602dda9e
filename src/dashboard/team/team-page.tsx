/** The common parts of the team's pages. */
import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { mayManage, useMember } from '../api/session.ts'
import { Page } from '../ui/page.tsx'
import { Place, Tabs } from '../ui/tabs.tsx'
import styles from './team.module.css'

/** Tabs of what the reader's role may see. */
export function TeamPage({ children, ...page }: Omit<ComponentProps<typeof Page>, 'above'>) {
  const { t } = useTranslation('team')
  const { who } = useMember()
  const tabs = [
    { to: '/team', label: t('members') },
    ...(mayManage(who) ? [{ to: '/team/invitations', label: t('common:invitations') }] : []),
    { to: '/team/tokens', label: t('tokens') },
    ...(who.role === 'owner' ? [{ to: '/team/audit', label: t('audit') }] : []),
    { to: '/team/glossary', label: t('common:glossary') },
    { to: '/team/organization', label: t('organization') },
  ]
  return (
    <Page
      {...page}
      above={
        <>
          <Place name={who.organization.name} to="/team" />
          <Tabs tabs={tabs} label={t('teamOf', { name: who.organization.name })} />
        </>
      }
    >
      <div className={styles.content}>{children}</div>
    </Page>
  )
}
