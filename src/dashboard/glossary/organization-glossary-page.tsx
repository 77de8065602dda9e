/** The glossary of the organization. */
import { useTranslation } from 'react-i18next'
import { mayManage, useMember } from '../api/session.ts'
import { TeamPage } from '../team/team-page.tsx'
import { Loaded } from '../ui/state.tsx'
import { useGlossary } from './glossary-reads.ts'
import { GlossaryView } from './glossary-view.tsx'

const NONE: readonly never[] = []

/** Owners and admins edit it; every member reads it. */
export default function OrganizationGlossaryPage() {
  const { t } = useTranslation('glossary')
  // The form's field for a language has these texts.
  useTranslation('projects')
  const { who } = useMember()
  const read = useGlossary(undefined)
  return (
    <TeamPage title={t('common:glossary')} lead={t('organizationWhy')}>
      <Loaded read={read}>
        {({ terms }) => (
          <GlossaryView slug={undefined} terms={terms} above={NONE} languages={NONE} mayEdit={mayManage(who)} />
        )}
      </Loaded>
    </TeamPage>
  )
}
