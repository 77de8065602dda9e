/** Names for states of a project. */
import { useQueryClient } from '@tanstack/react-query'
import { Plus, Tag } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { answer } from '../api/answer.ts'
import { createRelease, deleteRelease, type Release } from '../api/client.ts'
import { mayManage, useMember } from '../api/session.ts'
import { serverAddress } from '../project/address.ts'
import { ProjectFrame } from '../project/project-frame.tsx'
import { announce } from '../shell/announce.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending, Wrong } from '../ui/form.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import table from '../ui/table.module.css'
import { When } from '../ui/when.tsx'
import { Done } from './done.tsx'
import styles from './history.module.css'
import { RestoreButton } from './restore.tsx'
import { releasesKey, useReleases } from './use-history.ts'

/** A table of the releases, and dialogs that make and delete one. */
export default function ReleasesPage() {
  const { t } = useTranslation('history')
  const { slug = '' } = useParams()
  const [making, make] = useState(false)
  const client = useQueryClient()
  const releases = useReleases(slug)
  const read = () => client.invalidateQueries({ queryKey: releasesKey(slug) })
  const remove = async ({ name }: Release) => {
    await answer(deleteRelease({ slug, name }))
    announce(t('releaseDeleted', { name }))
    await read()
  }
  const action = (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => make(true)}>
      {t('newRelease')}
    </Button>
  )
  return (
    <ProjectFrame slug={slug} title={t('common:releases')} actions={action}>
      <Done slug={slug} />
      <Loaded read={releases}>
        {releases =>
          releases.length === 0 ? (
            <Empty title={t('noReleases')} action={action}>
              {t('releasesWhy')}
            </Empty>
          ) : (
            <>
              <ReleaseTable slug={slug} releases={releases} onDelete={remove} />
              <Snippet
                label={t('readRelease')}
                code={`curl -H "x-api-key: $PARLANCE_TOKEN" "${serverAddress()}/api/projects/${slug}/export?format=json&at=${releases[0]!.name}"`}
              />
            </>
          )
        }
      </Loaded>
      {making && <NewRelease slug={slug} onClose={() => make(false)} onMade={read} />}
    </ProjectFrame>
  )
}

interface TableProps {
  slug: string
  releases: readonly Release[]
  onDelete: (release: Release) => Promise<unknown>
}

function ReleaseTable({ slug, releases, onDelete }: TableProps) {
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

function NewRelease({ slug, onClose, onMade }: { slug: string; onClose: () => void; onMade: () => Promise<unknown> }) {
  const { t } = useTranslation('history')
  const [name, setName] = useState('')
  const { pending, problem, send } = useSending()
  const make = () =>
    send(async () => {
      await answer(createRelease({ slug, newRelease: { name } }))
      await onMade()
      announce(t('releaseMade', { name }))
      onClose()
    })
  return (
    <Dialog title={t('newRelease')} isOpen onClose={onClose}>
      <Form onSubmit={make} native>
        <TextField
          label={t('common:name')}
          hint={t('releaseHint')}
          value={name}
          onChange={setName}
          code
          isRequired
          autoFocus
        />
        <Wrong problem={problem} />
        <Actions>
          <Button onPress={onClose}>{t('common:cancel')}</Button>
          <Button look="primary" type="submit" isPending={pending}>
            {t('makeRelease')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
