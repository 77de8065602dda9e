/** For readers without an organization: joining one, opening another one, and creating one. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { createOrganization, setActiveOrganization, type Who } from '../api/client.ts'
import { forgetQueries, useViewer, type Viewer } from '../api/session.ts'
import { TypedTexts } from '../drafts/typed-texts.tsx'
import { DraftsProvider } from '../drafts/use-drafts.tsx'
import { slugOf } from '../project/slug-of.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { TextField, useSubmission, Wrong } from '../ui/form.tsx'
import { go } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import styles from './entry.module.css'
import { Entry, Steps } from './entry.tsx'
import { SubmissionForm, useAccountSubmission } from './forms.tsx'
import { useJoin } from './invitation-page.tsx'
import { useOpenInvitations } from './open-invitations.ts'
import { SignOutButton } from './sign-out.tsx'

/** Leads to the first run. An invited reader joins before anything else, and has no steps of a founder. */
export default function NewOrganizationPage() {
  const { t } = useTranslation('signIn')
  const { data: viewer } = useViewer()
  const invitations = useOpenInvitations()
  // A first organization stays the first one while the form is sent.
  const [first] = useState(viewer?.organizations.length === 0)
  return (
    <Entry
      title={first ? t('firstOrganization') : t('makeOrganization')}
      lead={t('organizationWhy')}
      aside={first && <SignOutButton />}
      above={first && invitations?.length === 0 && <Steps at="organization" />}
      below={
        !first && (
          <p>
            <a href="#/projects">{t('common:toProjects')}</a>
          </p>
        )
      }
    >
      <WaitingInvitations isMain={first} />
      <OrganizationForm isMain={!first || !invitations?.length} />
    </Entry>
  )
}

/** @param isMain whether its button is primary */
function OrganizationForm({ isMain }: { isMain: boolean }) {
  const { t } = useTranslation('signIn')
  const client = useQueryClient()
  const [typedName, setName] = useState('')
  const [ownSlug, setOwnSlug] = useState<string>()
  const name = typedName.trim()
  const slug = ownSlug ?? slugOf(name)
  const form = useAccountSubmission({
    name: name === '' ? t('common:needsName') : '',
    slug: slug.trim() === '' ? t('needsSlug') : '',
  })
  const create = async () => {
    const { id } = await answer(createOrganization({ body: { name, slug: slug.trim() } }))
    await answer(setActiveOrganization({ body: { organizationId: id } }))
    go('/start')
    await forgetQueries(client)
    return t('common:organizationNow', { name })
  }
  return (
    <SubmissionForm form={form} onSend={create}>
      <TextField
        label={t('common:name')}
        hint={t('organizationNameHint')}
        autoComplete="organization"
        value={typedName}
        onChange={setName}
        autoFocus
        error={form.faults.name}
      />
      <TextField
        label={t('common:slug')}
        hint={t('organizationSlugHint')}
        autoComplete="off"
        value={slug}
        onChange={setOwnSlug}
        code
        error={form.faults.slug}
      />
      <Button type="submit" look={isMain ? 'primary' : 'plain'} isPending={form.pending}>
        {t('makeOrganization')}
      </Button>
    </SubmissionForm>
  )
}

/** @param left the organization that the reader was in until now */
export function NoOrganizationPage({ viewer, left }: { viewer: Viewer; left: Who['organization'] | undefined }) {
  const { t } = useTranslation('signIn')
  const client = useQueryClient()
  const { pending, problem, send } = useSubmission()
  const enter = (organizationId: string, name: string) =>
    send(async () => {
      await answer(setActiveOrganization({ body: { organizationId } }))
      go('/projects')
      await forgetQueries(client)
      return t('common:organizationNow', { name })
    })
  const title = left === undefined ? t('noOrganization') : t('noLongerMember', { name: left.name })
  const isUninvited = !useOpenInvitations()?.length
  const others = viewer.organizations.filter(({ id }) => id !== left?.id)
  return (
    <Entry title={title} aside={<SignOutButton />} lead={t('signedInAs', { email: viewer.user.email })}>
      {left !== undefined && <Notice kind="warn">{t('noLongerMemberWhy')}</Notice>}
      <Wrong problem={problem} />
      {others.length > 0 && (
        <section className="stack2">
          <h2>{t('common:organizations')}</h2>
          {others.map(({ id, name }) => (
            <div key={id} className={styles.row}>
              <span>{name}</span>
              <Button small isPending={pending} onPress={() => enter(id, name)} aria-label={t('enter', { name })}>
                {t('open')}
              </Button>
            </div>
          ))}
        </section>
      )}
      <WaitingInvitations isMain />
      {others.length === 0 && <p className="quiet">{t('noOrganizationWhy')}</p>}
      <ButtonLink to="/organizations/new" look={others.length === 0 && isUninvited ? 'primary' : 'plain'}>
        {t('makeOrganization')}
      </ButtonLink>
      <DraftsProvider user={viewer.user.id}>
        <TypedTexts isShown={({ organization }) => !others.some(({ id }) => id === organization)} />
      </DraftsProvider>
    </Entry>
  )
}

/** A row an invitation; nothing where none waits. @param isMain whether a single one has the primary button */
function WaitingInvitations({ isMain }: { isMain: boolean }) {
  const { t } = useTranslation('signIn')
  const waiting = useOpenInvitations() ?? []
  const join = useJoin()
  const { pending, problem, send } = useSubmission()
  if (waiting.length === 0) return null
  // Of several, none is the main one.
  const look = isMain && waiting.length === 1 ? 'primary' : 'plain'
  return (
    <section className="stack2">
      <h2>{t('common:invitations')}</h2>
      <Wrong problem={problem} />
      {waiting.map(({ id, name }) => (
        <div key={id} className={styles.row}>
          <span>{name ?? t('invited')}</span>
          {name === undefined ? (
            <ButtonLink small look={look} to={`/invitations/${id}`}>
              {t('look')}
            </ButtonLink>
          ) : (
            <Button
              small
              look={look}
              isPending={pending}
              onPress={() => send(() => join(id))}
              aria-label={t('joinOrganization', { name })}
            >
              {t('accept')}
            </Button>
          )}
        </div>
      ))}
    </section>
  )
}
