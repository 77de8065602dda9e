/** The organization itself: its name, leaving it, deleting it. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { deleteOrganization, leaveOrganization, updateOrganization } from '../api/client.ts'
import { mayManage, readAnew, useMember, VIEWER } from '../api/session.ts'
import { announce } from '../shell/announce.ts'
import { go } from '../shell/location.ts'
import { refusalOf } from '../sign-in/ways.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Actions } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending, Wrong } from '../ui/form.tsx'
import { Card, Section } from '../ui/page.tsx'
import { useMembers } from './queries.ts'
import { strongest } from './roles.ts'
import { TeamPage } from './team-page.tsx'

/** Admins rename; owners delete; everybody but the last owner leaves. */
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
    await readAnew(client)
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
        <Card narrow>
          <NameForm key={id} />
        </Card>
      )}
      <Section title={t('leave')}>
        <p className="quiet">{isLastOwner ? t('lastOwner') : t('leaveWhy')}</p>
        <div>
          <ConfirmButton words={t('leaveOne', { name })} doIt={t('leave')} isDisabled={isLastOwner} onConfirm={leave}>
            <p>{t('leaveWhy')}</p>
          </ConfirmButton>
        </div>
      </Section>
      {who.role === 'owner' && (
        <Section title={t('deleteOrganization')}>
          <p className="quiet">{t('deleteWhy')}</p>
          <div>
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
        </Section>
      )}
    </TeamPage>
  )
}

function NameForm() {
  const { t } = useTranslation('team')
  const { organization } = useMember().who
  const client = useQueryClient()
  const [name, setName] = useState(organization.name)
  const [slug, setSlug] = useState(organization.slug)
  const { pending, problem, send } = useSending(error => refusalOf(error, t))
  const changed = name.trim() !== organization.name || slug.trim() !== organization.slug
  const save = () => {
    if (name.trim() === '' || slug.trim() === '') return
    void send(async () => {
      await answer(updateOrganization({ body: { data: { name: name.trim(), slug: slug.trim() } } }))
      await client.invalidateQueries({ queryKey: VIEWER })
      announce(t('renamed'))
    })
  }
  return (
    <Form onSubmit={save} label={t('organization')}>
      <Wrong problem={problem} />
      <TextField
        label={t('common:name')}
        value={name}
        onChange={setName}
        error={name.trim() === '' ? t('common:needsName') : ''}
      />
      <TextField
        label={t('common:slug')}
        value={slug}
        onChange={setSlug}
        code
        error={slug.trim() === '' ? t('common:needsName') : ''}
      />
      <Actions>
        <Button type="submit" look="primary" isPending={pending} isDisabled={!changed}>
          {t('common:save')}
        </Button>
      </Actions>
    </Form>
  )
}
