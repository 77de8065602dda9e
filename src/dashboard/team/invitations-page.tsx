/** Invitations by link: create, copy, withdraw. */
import { useQueryClient } from '@tanstack/react-query'
import { MailOpen } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, serverAddress } from '../api/answer.ts'
import { cancelInvitation, type Invitation, inviteMember } from '../api/client.ts'
import { type MemberRole, roleName } from '../api/rights.ts'
import { mayManage, useMember } from '../api/session.ts'
import { isEmailAddress, SubmissionForm } from '../sign-in/forms.tsx'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Actions } from '../ui/dialog.tsx'
import { TextField, useSubmission } from '../ui/form.tsx'
import { Badge, Notice } from '../ui/notice.tsx'
import { Card, Empty, Loaded, Section } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import { CopyButton, Snippet } from '../ui/snippet.tsx'
import { When } from '../ui/when.tsx'
import { INVITATIONS, useEntryChange, useInvitations } from './queries.ts'
import { RightsFields, useRightsInput, useRightsWords, useRoleChoices } from './rights.tsx'
import styles from './team.module.css'
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
        <InviteForm waiting={invitations.data} />
      </Card>
      <Section title={t('waiting')}>
        <Loaded read={invitations} lines={2}>
          {all =>
            all.length === 0 ? (
              <Empty icon={<MailOpen aria-hidden />} title={t('noneWaiting')}>
                {t('noneWaitingWhy')}
              </Empty>
            ) : (
              <ul className="stack2">
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

/**
 * The address of an invitation, which the inviter sends to the guest. It names the email address and the organization
 * too, since guests cannot read them from the server. All of it stands behind `#`, which browsers do not send.
 */
function useInvitationLink() {
  const { name } = useMember().who.organization
  return ({ id, email }: Pick<Invitation, 'id' | 'email'>) =>
    `${serverAddress()}/#/invitations/${id}?${new URLSearchParams({ for: email, to: name })}`
}

/** Whom to invite, and as what. Shows the link to hand on: nothing is mailed. */
function InviteForm({ waiting }: { waiting: readonly Invitation[] | undefined }) {
  const { t } = useTranslation('team')
  const client = useQueryClient()
  const linkOf = useInvitationLink()
  const roles = useRoleChoices()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<MemberRole>('member')
  const input = useRightsInput()
  const [made, setMade] = useState<Pick<Invitation, 'id' | 'email'>>()
  const form = useSubmission({
    faults: {
      email: isEmailAddress(email) ? '' : t('needsEmail'),
      languages: role === 'member' ? input.fault : '',
    },
  })
  const invite = async () => {
    const rights = role === 'member' ? input.rights : null
    const invitation = await answer(inviteMember({ body: { email: email.trim(), role, ...(rights && { rights }) } }))
    await client.invalidateQueries({ queryKey: INVITATIONS })
    setEmail('')
    input.reset()
    setMade(invitation)
    return t('invitationMade', { email: invitation.email })
  }
  return (
    <>
      <SubmissionForm form={form} onSend={invite} label={t('invite')}>
        <div className={styles.line}>
          <TextField
            label={t('common:email')}
            type="email"
            autoComplete="off"
            value={email}
            onChange={setEmail}
            error={form.faults.email}
          />
          <Select label={t('role')} choices={roles} value={role} onChange={setRole} />
          {role === 'member' && <RightsFields input={input} error={form.faults.languages} />}
          <Button type="submit" look="primary" isPending={form.pending}>
            {t('makeLink')}
          </Button>
        </div>
      </SubmissionForm>
      {/* The link of a withdrawn invitation must disappear. */}
      {made && waiting?.some(({ id }) => id === made.id) && (
        <div className="stack4">
          <Notice kind="good">{t('handOn', { email: made.email })}</Notice>
          <Snippet label={t('invitationFor', { email: made.email })} code={linkOf(made)} />
        </div>
      )}
    </>
  )
}

/** An open invitation. Its link can be copied again for as long as it works. */
function InvitationRow({ invitation }: { invitation: Invitation }) {
  const { t } = useTranslation('team')
  const wordsOf = useRightsWords()
  const linkOf = useInvitationLink()
  const change = useEntryChange(INVITATIONS)
  const { id, email, role, rights, expiresAt } = invitation
  const expired = Date.parse(expiresAt) < Date.now()
  const withdraw = async () => {
    await change(id, answer(cancelInvitation({ body: { invitationId: id } })))
    announce(t('withdrawn', { email }))
  }
  return (
    <li className={styles.row}>
      <span className={styles.person}>
        <span className={`row2 ${styles.name}`}>{email}</span>
        <span className={`quiet ${styles.times}`}>
          <span>{roleName(role, t)}</span>
          {rights && <span>{wordsOf(rights)}</span>}
          <span>
            {expired ? <Badge kind="warn">{t('expired')}</Badge> : t('expires')}{' '}
            <When date={expiresAt} isAhead={!expired} />
          </span>
        </span>
      </span>
      <Actions>
        {!expired && <CopyButton text={linkOf(invitation)} label={t('copyLink', { email })} />}
        <ConfirmButton
          small
          look="quiet"
          words={t('withdraw')}
          aria-label={t('withdrawFrom', { email })}
          onConfirm={withdraw}
        >
          <p>{t('withdrawWhy')}</p>
        </ConfirmButton>
      </Actions>
    </li>
  )
}
