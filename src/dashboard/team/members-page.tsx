/** The members of the organization. */
import { useQueryClient } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type MemberWithUser, removeMember, updateMemberRole } from '../api/client.ts'
import { setMemberRights } from '../api/late-client.ts'
import { type MemberRole, roleName, strongest } from '../api/rights.ts'
import { mayManage, useMember, VIEWER } from '../api/session.ts'
import { SubmissionForm } from '../sign-in/forms.tsx'
import { announce } from '../ui/announce.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Dialog, SubmitActions } from '../ui/dialog.tsx'
import { focusReturnTo } from '../ui/focus.ts'
import { useSubmission } from '../ui/form.tsx'
import { Badge } from '../ui/notice.tsx'
import { Loaded } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import table from '../ui/table.module.css'
import { When } from '../ui/when.tsx'
import { lastOwner, MEMBERS, useEntryChange, useMembers } from './queries.ts'
import { listedRight, RightsFields, useRightsInput, useRightsWords, useRoleChoices } from './rights.tsx'
import styles from './team.module.css'
import { TeamPage } from './team-page.tsx'

/** Roles are changed in place, by those who may. */
export default function MembersPage() {
  const { t } = useTranslation('team')
  const { who } = useMember()
  const members = useMembers()
  return (
    <TeamPage
      title={t('members')}
      lead={mayManage(who) ? t('membersWhy') : undefined}
      actions={
        mayManage(who) && (
          <ButtonLink look="primary" icon={<UserPlus aria-hidden />} to="/team/invitations">
            {t('invite')}
          </ButtonLink>
        )
      }
    >
      <Loaded read={members}>
        {all => (
          <div className={table.frame}>
            <table className={`${table.table} ${table.stacks}`}>
              <thead>
                <tr>
                  <th scope="col">{t('person')}</th>
                  <th scope="col">{t('role')}</th>
                  <th scope="col">{t('languages')}</th>
                  <th scope="col">{t('joined')}</th>
                  <th scope="col">
                    <span className="hidden">{t('common:actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map(member => (
                  <MemberRow key={member.id} member={member} isLastOwner={lastOwner(all) === member} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </TeamPage>
  )
}

/** Role, languages and removal. Admins change no owners; the last owner stays one. */
function MemberRow({ member, isLastOwner }: { member: MemberWithUser; isLastOwner: boolean }) {
  const { t } = useTranslation('team')
  const { user, who } = useMember()
  const client = useQueryClient()
  const changeMember = useEntryChange(MEMBERS)
  const { problem, send } = useSubmission()
  const roles = useRoleChoices()
  const { name, email } = member.user
  const role = strongest(member.role)
  const isOneself = member.userId === user.id
  const mayChange = mayManage(who) && !isLastOwner && (who.role === 'owner' || role !== 'owner')
  const change = (chosen: MemberRole) => {
    const goBack = focusReturnTo(document.activeElement)
    return send(async () => {
      const changing = answer(updateMemberRole({ body: { memberId: member.id, role: chosen } }))
      const isThere = await changeMember(member.id, changing)
      if (isOneself) await client.invalidateQueries({ queryKey: VIEWER })
      // A reader without the right to change roles has no select any more.
      goBack()
      return isThere ? t('roleNow', { name, role: roleName(chosen, t) }) : t('removed', { name })
    })
  }
  const remove = async () => {
    await changeMember(member.id, answer(removeMember({ body: { memberIdOrEmail: member.id } })))
    announce(t('removed', { name }))
  }
  return (
    <tr>
      <th scope="row">
        <span className={styles.person}>
          <span className={`row2 ${styles.name}`}>
            <bdi>{name}</bdi> {isOneself && <Badge>{t('you')}</Badge>}
          </span>
          <span className="quiet">{email}</span>
        </span>
      </th>
      <td>
        {mayChange ? (
          <div className={styles.role}>
            <Select
              label={t('roleOf', { name })}
              hideLabel
              choices={roles}
              value={role}
              onChange={chosen => void change(chosen)}
              error={problem}
            />
          </div>
        ) : (
          <span title={isLastOwner ? t('lastOwner') : undefined}>{roleName(role, t)}</span>
        )}
      </td>
      <td data-label={t('languages')}>
        {role === 'member' ? <MemberLanguages member={member} /> : <span>{t('allLanguages')}</span>}
      </td>
      <td data-label={t('joined')}>
        <When date={member.createdAt} />
      </td>
      <td className={styles.end}>
        {mayChange && !isOneself && (
          <ConfirmButton
            small
            look="quiet"
            words={t('remove')}
            aria-label={t('removeSomebody', { name })}
            onConfirm={remove}
          >
            <p>{t('removeWhy', { name })}</p>
          </ConfirmButton>
        )}
      </td>
    </tr>
  )
}

/** The languages of a plain member, and the level in them: nothing narrows the other roles. */
function MemberLanguages({ member }: { member: MemberWithUser }) {
  const { t } = useTranslation('team')
  const { who } = useMember()
  const [isOpen, setOpen] = useState(false)
  const languages = useRightsWords()(member.rights)
  if (!mayManage(who) || listedRight(member.rights) === undefined) return <span>{languages}</span>
  const { name } = member.user
  return (
    <>
      <Button small aria-label={t('languagesOf', { name, languages })} onPress={() => setOpen(true)}>
        {languages}
      </Button>
      <Dialog title={t('changeLanguages', { name })} isOpen={isOpen} onClose={() => setOpen(false)}>
        <LanguagesForm member={member} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function LanguagesForm({ member, onClose }: { member: MemberWithUser; onClose: () => void }) {
  const { t } = useTranslation('team')
  const wordsOf = useRightsWords()
  const changeMember = useEntryChange(MEMBERS)
  const input = useRightsInput(listedRight(member.rights))
  const form = useSubmission({ faults: { languages: input.fault } })
  const save = async () => {
    const { id, user } = member
    const { rights } = input
    const isThere = await changeMember(id, answer(setMemberRights({ id, newRights: { rights } })))
    onClose()
    const { name } = user
    return isThere ? t('languagesNow', { name, languages: wordsOf(rights) }) : t('removed', { name })
  }
  return (
    <SubmissionForm form={form} onSend={save}>
      <RightsFields input={input} error={form.faults.languages} autoFocus />
      <SubmitActions isPending={form.pending} onCancel={onClose}>
        {t('common:save')}
      </SubmitActions>
    </SubmissionForm>
  )
}
