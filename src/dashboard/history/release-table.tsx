/** The releases of a project. */
import { Tag } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Release } from '../api/late-client.ts'
import { mayManage, useMember } from '../api/session.ts'
import { ButtonLink } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import table from '../ui/table.module.css'
import { When } from '../ui/when.tsx'
import styles from './history.module.css'
import { RestoreButton } from './restore-button.tsx'

interface TableProps {
  slug: string
  releases: readonly Release[]
  onDelete: (release: Release) => Promise<unknown>
}

/** Each is compared with now, restored, and deleted by those who may. */
export function ReleaseTable({ slug, releases, onDelete }: TableProps) {
  const { t } = useTranslation('history')
  const { who } = useMember()
  return (
    <div className={table.frame}>
      <table className={`${table.table} ${table.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('common:name')}</th>
            <th scope="col">{t('made')}</th>
            <th scope="col">
              <span className="hidden">{t('common:actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {releases.map(release => (
            <tr key={release.name}>
              <th scope="row">
                <span className={styles.key}>
                  <Tag aria-hidden size="1em" />
                  {release.name} <code className={styles.form}>{release.revision.slice(0, 8)}</code>
                </span>
              </th>
              <td>
                <When date={release.createdAt} /> · {release.createdBy.name}
              </td>
              <td>
                <span className={styles.key}>
                  <ButtonLink
                    small
                    to={`/projects/${encodeURIComponent(slug)}/compare?from=${encodeURIComponent(release.name)}`}
                  >
                    {t('compareWithNow')}
                  </ButtonLink>
                  <RestoreButton slug={slug} at={release.name} wanted={{}} label={t('restoreThis')} />
                  {mayManage(who) && (
                    <ConfirmButton
                      small
                      look="quiet"
                      words={t('common:delete')}
                      title={t('deleteReleaseNamed', { name: release.name })}
                      onConfirm={() => onDelete(release)}
                    >
                      <p>{t('deleteReleaseWhat')}</p>
                    </ConfirmButton>
                  )}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
