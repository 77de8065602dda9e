/** The organization itself: its name, leaving it, deleting it. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { deleteOrganization, leaveOrganization, updateOrganization } from '../api/client.ts'
import { forgetQueries, mayManage, useMember, VIEWER } from '../api/session.ts'
import { SubmissionForm, useFields } from '../sign-in/forms.tsx'
import { announce } from '../ui/announce.ts'
import { ConfirmButton } from '../ui/confirm.tsx'
import { SubmitActions } from '../ui/dialog.tsx'
import { TextField } from '../ui/form.tsx'
import { go } from '../ui/location.ts'
import { Card } from '../ui/page.tsx'
import { SettingsSection } from '../ui/settings-section.tsx'
import { lastOwner, useMembers } from './queries.ts'
import styles from './team.module.css'
import { TeamPage } from './team-page.tsx'

/** Admins rename, owners delete, and every member but the last owner may leave. */
export default function OrganizationPage() {
  const { t } = useTranslation('team')
  const { user, who } = useMember()
  const client = useQueryClient()
  const members = useMembers()
  const { id, name, slug } = who.organization
  const isLastOwner = lastOwner(members.data ?? [])?.userId === user.id
  const away = async (work: Promise<unknown>, done: string) => {
    await work
    go('/projects')
    await forgetQueries(client)
    announce(done)
  }
  const body = { organizationId: id }
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
          <ConfirmButton
            words={t('leaveOne', { name })}
            doIt={t('leave')}
            isDisabled={isLastOwner}
            onConfirm={() => away(answer(leaveOrganization({ body })), t('left', { name }))}
          >
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
              onConfirm={() => away(answer(deleteOrganization({ body })), t('deleted', { name }))}
              typed={slug}
            >
              <p>{t('deleteWhy')}</p>
            </ConfirmButton>
          </div>
        </SettingsSection>
      )}
    </TeamPage>
  )
}

function NameForm() {
  const { t } = useTranslation('team')
  const { organization } = useMember().who
  const client = useQueryClient()
  const check = ({ name, slug }: { name: string; slug: string }) => ({
    name: name.trim() === '' ? t('common:needsName') : '',
    slug: slug.trim() === '' ? t('common:needsName') : '',
  })
  const form = useFields({ name: organization.name, slug: organization.slug }, check)
  const faults = check(form.typed)
  const [name, slug] = [form.typed.name.trim(), form.typed.slug.trim()]
  const save = async () => {
    await answer(updateOrganization({ body: { data: { name, slug } } }))
    await client.invalidateQueries({ queryKey: VIEWER })
    return t('renamed')
  }
  return (
    <SubmissionForm form={form} onSend={save} label={t('organization')}>
      <TextField label={t('common:name')} {...form.field('name')} error={faults.name} />
      <TextField label={t('common:slug')} code {...form.field('slug')} error={faults.slug} />
      <SubmitActions isPending={form.pending} isDisabled={name === organization.name && slug === organization.slug}>
        {t('common:save')}
      </SubmitActions>
    </SubmissionForm>
  )
}
