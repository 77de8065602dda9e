/** In the place of what a project that is not there would show. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type Organization, setActiveOrganization } from '../api/client.ts'
import { resetQueries, useMember } from '../api/session.ts'
import { TypedTexts } from '../drafts/typed-texts.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Wrong } from '../ui/form.tsx'
import { projectAddress } from '../ui/location.ts'
import { Empty } from '../ui/state.tsx'
import { useSubmission } from '../ui/use-submission.ts'

/**
 * Leads to the history, which one that was deleted still has, to the others, and to the reader's other organizations.
 */
export function NoProject({ slug }: { slug: string }) {
  const { t } = useTranslation('projects')
  const { who, organizations } = useMember()
  const client = useQueryClient()
  const { pending, problem, send } = useSubmission()
  const others = organizations.filter(({ id }) => id !== who.organization.id)
  // A shared address names no organization, so it stays the same.
  const lookIn = ({ id, name }: Organization) =>
    send(async () => {
      await answer(setActiveOrganization({ body: { organizationId: id } }))
      await resetQueries(client)
      return t('common:organizationNow', { name })
    })
  return (
    <>
      <Empty
        title={t('unknownProject', { slug })}
        action={
          <>
            {others.length > 0 && (
              <>
                <p>{t('otherOrganizations', { name: who.organization.name })}</p>
                <Actions>
                  {others.map(other => (
                    <Button key={other.id} isPending={pending} onPress={() => void lookIn(other)}>
                      {t('lookIn', { name: other.name })}
                    </Button>
                  ))}
                </Actions>
                <Wrong problem={problem} />
              </>
            )}
            <Actions>
              <ButtonLink to={`${projectAddress(slug)}/history`}>{t('common:history')}</ButtonLink>
              <ButtonLink to="/projects">{t('common:toProjects')}</ButtonLink>
            </Actions>
          </>
        }
      >
        {t('unknownProjectWhy')}
      </Empty>
      <TypedTexts isShown={({ organization, project }) => organization === who.organization.id && project === slug} />
    </>
  )
}
