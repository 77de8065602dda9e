/** In the place of what a project that is not there would show. */
import { useTranslation } from 'react-i18next'
import { projectAddress } from '../shell/location.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Empty } from '../ui/state.tsx'

/** Leads to the history, which one that was deleted still has, and to the others. */
export function NoProject({ slug }: { slug: string }) {
  const { t } = useTranslation('projects')
  return (
    <Empty
      title={t('unknownProject', { slug })}
      action={
        <Actions>
          <ButtonLink to={`${projectAddress(slug)}/history`}>{t('common:history')}</ButtonLink>
          <ButtonLink to="/projects">{t('common:toProjects')}</ButtonLink>
        </Actions>
      }
    >
      {t('unknownProjectWhy')}
    </Empty>
  )
}
