/** Creates an organization. The first one is a step of the first run. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { forgetQueries, useViewer, type Viewer } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { go } from '../ui/location.ts'
import { Entry } from './entry.tsx'
import { useListedInvitations, useOpenInvitations } from './open-invitations.ts'
import { OrganizationForm } from './organization-form.tsx'
import { SignOutButton } from './sign-out-button.tsx'
import { Steps } from './steps.tsx'
import { WaitingInvitations } from './waiting-invitations.tsx'

/** An invited reader has no steps of a founder. */
const FounderSteps = ({ viewer }: { viewer: Viewer }) =>
  useListedInvitations(viewer)?.length === 0 && <Steps at="organization" />

/** An invited reader without an organization joins before anything else. */
function Choices({
  viewer,
  isFirst,
  onDone,
}: {
  viewer: Viewer
  isFirst: boolean
  onDone: (name: string) => Promise<void>
}) {
  const isInvited = useOpenInvitations(viewer).length > 0
  return (
    <>
      <WaitingInvitations viewer={viewer} isMain={isFirst} />
      <OrganizationForm isMain={!isFirst || !isInvited} onDone={onDone} />
    </>
  )
}

/** Leads to the first run. */
export default function NewOrganizationPage() {
  const { t } = useTranslation('signIn')
  const client = useQueryClient()
  const { data: viewer } = useViewer()
  // A first organization stays the first one while the form is sent.
  const [first] = useState(viewer?.organizations.length === 0)
  const onDone = async (name: string) => {
    go('/start')
    await forgetQueries(client)
    announce(t('common:organizationNow', { name }))
  }
  return (
    <Entry
      title={first ? t('firstOrganization') : t('makeOrganization')}
      lead={t('organizationWhy')}
      aside={first && <SignOutButton />}
      above={first && viewer && <FounderSteps viewer={viewer} />}
      below={
        !first && (
          <p>
            <a href="#/projects">{t('common:toProjects')}</a>
          </p>
        )
      }
    >
      {viewer && <Choices viewer={viewer} isFirst={first} onDone={onDone} />}
    </Entry>
  )
}
