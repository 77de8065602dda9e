/** A member: role, languages and removal. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type MemberWithUser, removeMember, updateMemberRole } from '../api/client.ts'
import { type MemberRole, ROLES, roleName, strongest } from '../api/roles.ts'
import { mayManage, useMember, VIEWER } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { Badge } from '../ui/badge.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { focusReturnTo } from '../ui/focus.ts'
import { Select } from '../ui/select.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { When } from '../ui/when.tsx'
import { MemberLanguages } from './member-languages.tsx'
import { changeEntry, MEMBERS } from './queries.ts'
import styles from './team.module.css'

/** Admins change no owners; the last owner stays one. */
export function MemberRow({ member, isLastOwner }: { member: MemberWithUser; isLastOwner: boolean }) {
  const { t } = useTranslation('team')
  const { user, who } = useMember()
  const client = useQueryClient()
  const { problem, send } = useSubmission()
  const { name, email } = member.user
  const role = strongest(member.role)
  const isOneself = member.userId === user.id
  const mayChange = mayManage(who) && !isLastOwner && (who.role === 'owner' || role !== 'owner')
  const change = (chosen: MemberRole) => {
    const goBack = focusReturnTo(document.activeElement)
    return send(async () => {
      const changing = answer(updateMemberRole({ body: { memberId: member.id, role: chosen } }))
      const isThere = await changeEntry(client, MEMBERS, member.id, changing)
      if (isOneself) await client.invalidateQueries({ queryKey: VIEWER })
      // A reader without the right to change roles has no select any more.
      goBack()
      return isThere ? t('roleNow', { name, role: roleName(chosen, t) }) : t('removed', { name })
    })
  }
  const remove = async () => {
    await changeEntry(client, MEMBERS, member.id, answer(removeMember({ body: { memberIdOrEmail: member.id } })))
    announce(t('removed', { name }))
  }
  const roles = ROLES.filter(one => who.role === 'owner' || one !== 'owner')
  const notes = { owner: t('ownerMay'), admin: t('adminMay'), member: t('memberMay') }
  return (
    <tr>
      <th scope="row">
        <span className={styles.person}>
          <span className={styles.name}>
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
              choices={roles.map(id => ({ id, label: roleName(id, t), note: notes[id] }))}
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
        {role === 'member' ? (
          <MemberLanguages member={member} mayChange={mayManage(who)} />
        ) : (
          <span>{t('allLanguages')}</span>
        )}
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
