/** The audit trail, for owners. */
import { useTranslation } from 'react-i18next'
import { useMember } from '../api/session.ts'
import { Notice } from '../ui/notice.tsx'
import { AuditTrail } from './audit-trail.tsx'
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
