/** Whom to invite, and as what. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { inviteMember } from '../api/client.ts'
import { type MemberRole, ROLES, roleName } from '../api/roles.ts'
import { useMember } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'
import { Select } from '../ui/select.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { invitationLink } from './invitation-link.ts'
import { INVITATIONS, useInvitations } from './queries.ts'
import { RightsFields, useRightsInput } from './rights-fields.tsx'
import styles from './team.module.css'

/** Shows the link to hand on: nothing is mailed. */
export function InviteForm() {
  const { t } = useTranslation('team')
  const { who } = useMember()
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<MemberRole>('member')
  const input = useRightsInput()
  const [made, setMade] = useState<{ id: string; email: string; link: string }>()
  const { data: waiting } = useInvitations()
  const notes = { owner: t('ownerMay'), admin: t('adminMay'), member: t('memberMay') }
  const { pending, problem, faults, send } = useSubmission({
    faults: {
      email: /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? '' : t('needsEmail'),
      languages: role === 'member' ? input.fault : '',
    },
  })
  const invite = () =>
    send(async () => {
      const rights = role === 'member' ? input.rights : null
      const body = { email: email.trim(), role, ...(rights && { rights }) }
      const invitation = await answer(inviteMember({ body }))
      const { id } = invitation
      await client.invalidateQueries({ queryKey: INVITATIONS })
      setEmail('')
      input.reset()
      setMade({ id, email: invitation.email, link: invitationLink(invitation, who.organization.name) })
      return t('invitationMade', { email: invitation.email })
    })
  return (
    <>
      <Form onSubmit={invite} label={t('invite')}>
        <Wrong problem={problem} />
        <div className={styles.line}>
          <TextField
            label={t('common:email')}
            type="email"
            autoComplete="off"
            value={email}
            onChange={setEmail}
            error={faults.email}
          />
          <Select
            label={t('role')}
            choices={ROLES.filter(id => who.role === 'owner' || id !== 'owner').map(id => ({
              id,
              label: roleName(id, t),
              note: notes[id],
            }))}
            value={role}
            onChange={setRole}
          />
          {role === 'member' && <RightsFields input={input} error={faults.languages} />}
          <Button type="submit" look="primary" isPending={pending}>
            {t('makeLink')}
          </Button>
        </div>
      </Form>
      {/* The link of a withdrawn invitation must disappear. */}
      {made && waiting?.some(({ id }) => id === made.id) && (
        <div className="stack">
          <Notice kind="good">{t('handOn', { email: made.email })}</Notice>
          <Snippet label={t('invitationFor', { email: made.email })} code={made.link} />
        </div>
      )}
    </>
  )
}
