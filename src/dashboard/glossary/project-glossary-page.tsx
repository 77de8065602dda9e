/** The glossary of a project, with the terms of the organization. */
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { useManifest } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { ProjectFrame } from '../project/project-frame.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Loaded } from '../ui/state.tsx'
import { useGlossary } from './glossary-reads.ts'
import { GlossaryView } from './glossary-view.tsx'

/** Every member edits the project's terms. Those of the organization are read-only here. */
export default function ProjectGlossaryPage() {
  const { t } = useTranslation('glossary')
  const { slug = '' } = useParams()
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
