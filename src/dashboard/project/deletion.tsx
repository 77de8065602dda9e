/** The end of a project. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { deleteProject, type Project } from '../api/client.ts'
import { announce } from '../ui/announce.ts'
import { ConfirmButton } from '../ui/confirm.tsx'
import { go, projectAddress } from '../ui/location.ts'
import { Section } from '../ui/page.tsx'

/** Its short name has to be typed first. */
export function Deletion({ project: { slug, name } }: { project: Project }) {
  const { t } = useTranslation('projects')
  const client = useQueryClient()
  return (
    <Section title={t('deletion')}>
      <p className="quiet">{t('deletionWhat')}</p>
      <div>
        <ConfirmButton
          look="danger"
          words={t('deleteProject')}
          title={t('deleteNamed', { name })}
          typed={slug}
          onConfirm={async () => {
            await answer(deleteProject({ slug }))
            announce(t('deleted', { name }))
            // Its history stays readable, and offers the way back.
            go(`${projectAddress(slug)}/history`)
            await client.invalidateQueries({ queryKey: ['projects'] })
            client.removeQueries({ queryKey: ['project', slug, 'status'] })
          }}
        >
          <p>{t('deletionBack')}</p>
        </ConfirmButton>
      </div>
    </Section>
  )
}
