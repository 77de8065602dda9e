/** The members of the organization. */
import { UserPlus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { strongest } from '../api/roles.ts'
import { mayManage, useMember } from '../api/session.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Loaded } from '../ui/state.tsx'
import table from '../ui/table.module.css'
import { MemberRow } from './member-row.tsx'
import { useMembers } from './queries.ts'
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
        {all => {
          const owners = all.filter(({ role }) => strongest(role) === 'owner').length
          return (
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
                    <MemberRow
                      key={member.id}
                      member={member}
                      isLastOwner={owners === 1 && strongest(member.role) === 'owner'}
                    />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }}
      </Loaded>
    </TeamPage>
  )
}
