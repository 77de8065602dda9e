/** The organization itself: its name, leaving it, deleting it. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { deleteOrganization, leaveOrganization } from '../api/client.ts'
import { strongest } from '../api/roles.ts'
import { forgetQueries, mayManage, useMember } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { ConfirmButton } from '../ui/confirm.tsx'
import { go } from '../ui/location.ts'
import { Card } from '../ui/page.tsx'
import { SettingsSection } from '../ui/settings-section.tsx'
import { NameForm } from './name-form.tsx'
import { useMembers } from './queries.ts'
import styles from './team.module.css'
import { TeamPage } from './team-page.tsx'

/** Admins rename, owners delete, and every member but the last owner may leave. */
export default function OrganizationPage() {
  const { t } = useTranslation('team')
  const { user, who } = useMember()
  const client = useQueryClient()
  const members = useMembers()
  const { id, name } = who.organization
  const owners = members.data?.filter(({ role }) => strongest(role) === 'owner') ?? []
  const isLastOwner = owners.length === 1 && owners[0]?.userId === user.id
  const away = async (done: string) => {
    go('/projects')
    await forgetQueries(client)
    announce(done)
  }
  const leave = async () => {
    await answer(leaveOrganization({ body: { organizationId: id } }))
    await away(t('left', { name }))
  }
  const remove = async () => {
    await answer(deleteOrganization({ body: { organizationId: id } }))
    await away(t('deleted', { name }))
  }
  return (
    <TeamPage title={t('organization')}>
      {mayManage(who) && (
        <SettingsSection title={t('common:name')}>
          <Card>
            <NameForm key={id} />
          </Card>
        </SettingsSection>
      )}
      <SettingsSection title={t('leave')} lead={isLastOwner ? t('lastOwner') : t('leaveWhy')}>
        <div className={styles.named}>
          <ConfirmButton words={t('leaveOne', { name })} doIt={t('leave')} isDisabled={isLastOwner} onConfirm={leave}>
            <p>{t('leaveWhy')}</p>
          </ConfirmButton>
        </div>
      </SettingsSection>
      {who.role === 'owner' && (
        <SettingsSection title={t('dangerZone')} danger>
          <p>{t('deleteWhy')}</p>
          <div className={styles.named}>
            <ConfirmButton
              look="danger"
              words={t('deleteOne', { name })}
              doIt={t('deleteOrganization')}
              onConfirm={remove}
              typed={who.organization.slug}
            >
              <p>{t('deleteWhy')}</p>
            </ConfirmButton>
          </div>
        </SettingsSection>
      )}
    </TeamPage>
  )
}
