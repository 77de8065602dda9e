/** The pages of a project, beside each other. */
import { useTranslation } from 'react-i18next'
import { useProjectName } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { projectAddress } from '../ui/location.ts'
import { Tabs } from '../ui/tabs.tsx'

/** Its words are those of every page: the editor does not load the words of a project for them. */
export function ProjectTabs({ slug, isEditor = false }: { slug: string; isEditor?: boolean }) {
  const { t } = useTranslation()
  const { who } = useMember()
  const { name } = useProjectName(slug)
  const address = projectAddress(slug)
  const pages = ['glossary', 'history', 'releases', 'compare', 'import', ...(mayManage(who) ? ['settings'] : [])]
  return (
    <Tabs
      tabs={[
        { to: address, label: t('languages'), ...(isEditor && { isAbove: true }) },
        ...pages.map(page => ({ to: `${address}/${page}`, label: t(page) })),
      ]}
      label={t('pagesOf', { name })}
    />
  )
}
