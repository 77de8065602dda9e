/** In the place of the editor: a language or namespace that the project does not have. */
import { useTranslation } from 'react-i18next'
import { useMember } from '../api/session.ts'
import type { DraftAddress } from '../drafts/drafts.ts'
import { TypedTexts } from '../drafts/typed-texts.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { projectAddress } from '../ui/location.ts'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/state.tsx'

/** Includes unsaved texts of a deleted namespace or language. */
export default function Nowhere({ slug, what, at }: { slug: string; what: string; at: Partial<DraftAddress> }) {
  const { t } = useTranslation('editor')
  const here = { organization: useMember().who.organization.id, project: slug, ...at }
  const isHere = (address: DraftAddress) =>
    Object.entries(here).every(([name, value]) => address[name as keyof DraftAddress] === value)
  return (
    <Page title={what}>
      <Empty
        title={t('notInProject', { what })}
        action={<ButtonLink to={projectAddress(slug)}>{t('common:toProject')}</ButtonLink>}
      />
      <TypedTexts isShown={isHere} />
    </Page>
  )
}
