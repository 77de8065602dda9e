/** For a reader without an organization, or without the one that was open. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { setActiveOrganization, type Who } from '../api/client.ts'
import { forgetQueries, type Viewer } from '../api/session.ts'
import { TypedTexts } from '../drafts/typed-texts.tsx'
import { DraftsProvider } from '../drafts/use-drafts.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Wrong } from '../ui/form.tsx'
import { go } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import styles from './entry.module.css'
import { Entry } from './entry.tsx'
import { useOpenInvitations } from './open-invitations.ts'
import { SignOutButton } from './sign-out-button.tsx'
import { WaitingInvitations } from './waiting-invitations.tsx'

/** @param left the organization that the reader was in until now */
export default function NoOrganization({ viewer, left }: { viewer: Viewer; left?: Who['organization'] }) {
  const { t } = useTranslation('signIn')
  const client = useQueryClient()
  const { pending, problem, send } = useSubmission()
  const enter = (organizationId: string, name: string) =>
    send(async () => {
      await answer(setActiveOrganization({ body: { organizationId } }))
      go('/projects')
      await forgetQueries(client)
      return t('common:organizationNow', { name })
    })
  const title = left === undefined ? t('noOrganization') : t('noLongerMember', { name: left.name })
  const isUninvited = useOpenInvitations(viewer).length === 0
  const others = viewer.organizations.filter(({ id }) => id !== left?.id)
  return (
    <Entry title={title} aside={<SignOutButton />} lead={t('signedInAs', { email: viewer.user.email })}>
      {left !== undefined && <Notice kind="warn">{t('noLongerMemberWhy')}</Notice>}
      <Wrong problem={problem} />
      {others.length > 0 && (
        <section className="rows">
          <h2>{t('common:organizations')}</h2>
          {others.map(({ id, name }) => (
            <div key={id} className={styles.row}>
              <span>{name}</span>
              <Button small isPending={pending} onPress={() => void enter(id, name)} aria-label={t('enter', { name })}>
                {t('open')}
              </Button>
            </div>
          ))}
        </section>
      )}
      <WaitingInvitations viewer={viewer} isMain />
      {others.length === 0 && <p className="quiet">{t('noOrganizationWhy')}</p>}
      <ButtonLink to="/organizations/new" look={others.length === 0 && isUninvited ? 'primary' : 'plain'}>
        {t('makeOrganization')}
      </ButtonLink>
      <DraftsProvider user={viewer.user.id}>
        <TypedTexts isShown={({ organization }) => !others.some(({ id }) => id === organization)} />
      </DraftsProvider>
    </Entry>
  )
}
