/** Names for states of a project. */
import { useQueryClient } from '@tanstack/react-query'
import { Plus, Tag } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { answer, serverAddress } from '../api/answer.ts'
import { createRelease, deleteRelease, type Release } from '../api/late-client.ts'
import { mayManage, useMember } from '../api/session.ts'
import { ProjectFrame } from '../project/project-frame.tsx'
import { announce } from '../ui/announce.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Dialog, SubmitActions } from '../ui/dialog.tsx'
import { Form, TextField, useSubmission } from '../ui/form.tsx'
import { Empty, Loaded } from '../ui/page.tsx'
import { Snippet } from '../ui/snippet.tsx'
import table from '../ui/table.module.css'
import { When } from '../ui/when.tsx'
import styles from './history.module.css'
import { Done, RestoreButton } from './revert.tsx'
import { releasesKey, useReleases } from './use-history.ts'

/** The table of releases, with dialogs to create and delete one. */
export default function ReleasesPage() {
  const { t } = useTranslation('history')
  const { slug = '' } = useParams()
  const [creating, create] = useState(false)
  const releases = useReleases(slug)
  const action = (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => create(true)}>
      {t('newRelease')}
    </Button>
  )
  return (
    <ProjectFrame slug={slug} title={t('common:releases')} actions={releases.data?.length !== 0 && action}>
      <Done slug={slug} />
      <Loaded read={releases}>
        {releases =>
          releases.length === 0 ? (
            <Empty title={t('noReleases')} action={action}>
              {t('releasesWhy')}
            </Empty>
          ) : (
            <>
              <ReleaseTable slug={slug} releases={releases} />
              <Snippet
                label={t('readRelease')}
                code={`curl -H "x-api-key: $PARLANCE_TOKEN" "${serverAddress()}/api/projects/${slug}/export?format=json&at=${releases[0]!.name}"`}
              />
            </>
          )
        }
      </Loaded>
      {creating && <NewRelease slug={slug} onClose={() => create(false)} />}
    </ProjectFrame>
  )
}

function ReleaseTable({ slug, releases }: { slug: string; releases: readonly Release[] }) {
  const { t } = useTranslation('history')
  const client = useQueryClient()
  const mayDelete = mayManage(useMember().who)
  const remove = async (name: string) => {
    await answer(deleteRelease({ slug, name }))
    announce(t('releaseDeleted', { name }))
    await client.invalidateQueries({ queryKey: releasesKey(slug) })
  }
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
          {releases.map(({ name, revision, createdAt, createdBy }) => (
            <tr key={name}>
              <th scope="row">
                <span className="row2">
                  <Tag aria-hidden size="1em" />
                  {name} <code className={styles.form}>{revision.slice(0, 8)}</code>
                </span>
              </th>
              <td>
                <When date={createdAt} /> · {createdBy.name}
              </td>
              <td>
                <span className="row2">
                  <ButtonLink
                    small
                    to={`/projects/${encodeURIComponent(slug)}/compare?from=${encodeURIComponent(name)}`}
                  >
                    {t('compareWithNow')}
                  </ButtonLink>
                  <RestoreButton slug={slug} at={name} label={t('restoreThis')} />
                  {mayDelete && (
                    <ConfirmButton
                      small
                      look="quiet"
                      words={t('common:delete')}
                      title={t('deleteReleaseNamed', { name })}
                      onConfirm={() => remove(name)}
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

/** A dialog that asks for the name of a release. */
function NewRelease({ slug, onClose }: { slug: string; onClose: () => void }) {
  const { t } = useTranslation('history')
  const client = useQueryClient()
  const [name, setName] = useState('')
  const { pending, problem, send } = useSubmission()
  const create = () =>
    send(async () => {
      await answer(createRelease({ slug, newRelease: { name } }))
      await client.invalidateQueries({ queryKey: releasesKey(slug) })
      onClose()
      return t('releaseMade', { name })
    })
  return (
    <Dialog title={t('newRelease')} isOpen onClose={onClose}>
      <Form onSubmit={create} native>
        <TextField
          label={t('common:name')}
          hint={t('releaseHint')}
          value={name}
          onChange={setName}
          code
          isRequired
          autoFocus
        />
        <SubmitActions problem={problem} isPending={pending} onCancel={onClose}>
          {t('makeRelease')}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}
