/** Invitations by link: create, copy, withdraw. */
import { MailOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { mayManage, useMember } from '../api/session.ts'
import { Notice } from '../ui/notice.tsx'
import { Card, Section } from '../ui/page.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import { InvitationRow } from './invitation-row.tsx'
import { InviteForm } from './invite-form.tsx'
import { useInvitations } from './queries.ts'
import { TeamPage } from './team-page.tsx'

/** For owners and admins. */
export default function InvitationsPage() {
  const { t } = useTranslation('team')
  const { who } = useMember()
  return (
    <TeamPage title={t('common:invitations')} lead={t('invitationsWhy')}>
      {mayManage(who) ? <Invitations /> : <Notice>{t('forManagers')}</Notice>}
    </TeamPage>
  )
}

function Invitations() {
  const { t } = useTranslation('team')
  const invitations = useInvitations()
  return (
    <>
      <Card>
        <InviteForm />
      </Card>
      <Section title={t('waiting')}>
        <Loaded read={invitations} lines={2}>
          {all =>
            all.length === 0 ? (
              <Empty icon={<MailOpen aria-hidden />} title={t('noneWaiting')}>
                {t('noneWaitingWhy')}
              </Empty>
            ) : (
              <ul className="rows">
                {all.map(invitation => (
                  <InvitationRow key={invitation.id} invitation={invitation} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
    </>
  )
}
