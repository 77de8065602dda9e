/** The glossaries of a project, with the terms of the organization, and of the organization itself. */
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { useManifest } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { ProjectFrame } from '../project/project-frame.tsx'
import { TeamPage } from '../team/team-page.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Loaded } from '../ui/state.tsx'
import { useGlossary } from './glossary-reads.ts'
import { GlossaryView } from './glossary-view.tsx'

/** One part to load for both addresses: each more is named in the first part of the dashboard. */
export default function GlossaryPage() {
  const { slug } = useParams()
  return slug === undefined ? <OrganizationGlossary /> : <ProjectGlossary slug={slug} />
}

/** Every member edits the project's terms. Those of the organization are read-only here. */
function ProjectGlossary({ slug }: { slug: string }) {
  const { t } = useTranslation('glossary')
  const { who } = useMember()
  const manifest = useManifest(slug)
  const own = useGlossary(slug)
  const ofOrganization = useGlossary(undefined)
  const link = mayManage(who) && <ButtonLink to="/team/glossary">{t('organizationGlossary')}</ButtonLink>
  return (
    <ProjectFrame slug={slug} title={t('common:glossary')} actions={link}>
      <Loaded read={manifest}>
        {({ languages, sourceLanguage }) => (
          <Loaded read={own}>
            {({ terms }) => (
              <Loaded read={ofOrganization}>
                {above => (
                  <GlossaryView
                    key={slug}
                    slug={slug}
                    terms={terms}
                    above={above.terms}
                    languages={languages.filter(language => language !== sourceLanguage)}
                    mayEdit
                  />
                )}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </ProjectFrame>
  )
}

const NONE: readonly never[] = []

/** Owners and admins edit it; every member reads it. */
function OrganizationGlossary() {
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
