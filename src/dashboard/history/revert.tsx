/** Undo and restore. Both show a preview first, and can be undone themselves. */
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { History, Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { response } from '../api/answer.ts'
import { type Restored, type Reverted, restoreProject, revertRevision } from '../api/client.ts'
import { announce } from '../ui/announce.ts'
import { Button, type ButtonAppearance } from '../ui/button.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { useSubmission, Wrong } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'
import { Loaded } from '../ui/page.tsx'
import { ChangeList, ProjectChange } from './changes.tsx'
import styles from './history.module.css'
import type { HistoryFilter } from './use-history.ts'

/** The answer to an undo or a restore, or to its dry run. */
type RevertAnswer = Partial<Omit<Reverted & Restored, 'revision'>>

/** The planned changes, and the keys that stay with their reason. */
function Preview({ slug, plan }: { slug: string; plan: RevertAnswer }) {
  const { changes = [], more = 0, stale, skipped = [], project } = plan
  const { t } = useTranslation('history')
  return (
    <div className={`stack3 ${styles.preview}`}>
      {changes.length === 0 && !stale && !project && <Notice>{t('nothingToDo')}</Notice>}
      {project && <ProjectChange of={project} />}
      <ChangeList slug={slug} changes={changes} />
      {more > 0 && <p>{t('andMore', { count: more })}</p>}
      {stale && stale.added > 0 && <p>{t('staleAgain', { count: stale.added })}</p>}
      {stale && stale.removed > 0 && <p>{t('staleNoMore', { count: stale.removed })}</p>}
      {skipped.length > 0 && (
        <Notice kind="warn">
          {t('skipped', { count: skipped.length })}
          <ul>
            {skipped.slice(0, 20).map(({ language, namespace, key, reason }) => (
              <li key={`${language}/${namespace}/${key}`}>
                <code>
                  {language}/{namespace} {key}
                </code>{' '}
                {reason}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  )
}

/** The last undo or restore of this tab. */
interface LastRevert {
  revision: string
  sentence: string
}

const lastRevertKey = (slug: string) => ['last-revert', slug] as const

interface PlanProps {
  slug: string
  title: string
  /** The words on the button that does it. */
  doIt: string
  /** The announcement afterwards. */
  said: string
  /** Names the request among the queries of the project. */
  queryKey: readonly unknown[]
  /** The request; its dry run is the plan. */
  ask: (
    how: { dryRun?: 'true'; ifMatch?: string | undefined },
    options?: { signal: AbortSignal },
  ) => Promise<{ data: RevertAnswer; headers: Headers }>
  onDone?: (() => void) | undefined
}

/** The button that opens a dialog. */
type Opener = Pick<ButtonAppearance, 'icon' | 'look'> & { words: string; isDisabled?: boolean | undefined }

/** A button, and its dialog with a plan. */
function PlanButton({ words, icon, look, isDisabled, ...plan }: Opener & PlanProps) {
  const [isOpen, open] = useState(false)
  return (
    <>
      <Button small icon={icon} look={look} isDisabled={isDisabled} onPress={() => open(true)}>
        {words}
      </Button>
      {isOpen && <PlanDialog {...plan} onClose={() => open(false)} />}
    </>
  )
}

/** Whether a plan would change anything. */
function changesAny({ reverted = 0, added = 0, updated = 0, removed = 0, stale, project, restoredBy }: RevertAnswer) {
  if (reverted + added + updated + removed > 0 || stale) return true
  // A restore names the project only where it changes, an undo also where it stays.
  const isRestore = restoredBy !== undefined
  return project !== undefined && (isRestore || JSON.stringify(project.before) !== JSON.stringify(project.after))
}

/** First the preview, then the change, only if the previewed state is still current. */
function PlanDialog(props: PlanProps & { onClose: () => void }) {
  const { slug, title, doIt, said, queryKey, ask, onClose, onDone } = props
  const { t } = useTranslation()
  const client = useQueryClient()
  const { pending, problem, send } = useSubmission()
  const plan = useQuery({
    queryKey: ['project', slug, ...queryKey],
    queryFn: ({ signal }) => ask({ dryRun: 'true' }, { signal }),
    staleTime: 0,
    retry: false,
  })
  const apply = async () => {
    const isDone = await send(async () => {
      const { data } = await ask({ ifMatch: plan.data!.headers.get('etag') ?? undefined })
      // Without a commit, nothing was to change.
      const revision = data.undoneBy ?? data.restoredBy
      onClose()
      onDone?.()
      announce(said)
      if (revision) client.setQueryData<LastRevert>(lastRevertKey(slug), { revision, sentence: said })
      const outdated = [['project', slug], ['projects'], ['history', slug]]
      await Promise.all(outdated.map(queryKey => client.invalidateQueries({ queryKey })))
    })
    if (!isDone) void plan.refetch()
  }
  return (
    <Dialog title={title} isOpen onClose={onClose} wide alert>
      <Loaded read={plan}>{({ data }) => <Preview slug={slug} plan={data} />}</Loaded>
      <Wrong problem={problem} />
      <Actions>
        <Button onPress={onClose}>{t('cancel')}</Button>
        <Button
          look="primary"
          isPending={pending}
          isDisabled={!plan.data || !changesAny(plan.data.data)}
          onPress={() => void apply()}
        >
          {doIt}
        </Button>
      </Actions>
    </Dialog>
  )
}

interface UndoProps extends Partial<Opener> {
  slug: string
  /** Full ids, in any order: several are undone as one commit. */
  revisions: readonly string[]
  /** The names of the commits. */
  subject: string
  /** The dialog's title and the announcement, if other than the default. */
  title?: string
  said?: string
  onDone?: () => void
}

/** Its dialog shows what would go back. The button has the words of the title, if no others. */
export function UndoButton({ revisions, subject, title, said, words, ...rest }: UndoProps) {
  const { t } = useTranslation('history')
  const { slug } = rest
  const body = revisions.length === 1 ? { revision: revisions[0]! } : { revisions: [...revisions] }
  return (
    <PlanButton
      icon={<Undo2 aria-hidden />}
      {...rest}
      words={words ?? title ?? t('undo')}
      title={title ?? t('undoNamed', { subject })}
      doIt={t('undo')}
      said={said ?? t('undone', { subject })}
      queryKey={['undo', body]}
      ask={(how, options) => response(revertRevision({ slug, body, ...how }, options))}
    />
  )
}

interface RestoreProps {
  slug: string
  /** A revision, release or time. */
  at: string
  /** A language, one of its namespaces, or one of its keys. Absent: the whole project. */
  part?: HistoryFilter
  label: string
}

/** Its dialog shows what would change. */
export function RestoreButton({ slug, at, part: { language, namespace, key } = {}, label }: RestoreProps) {
  const { t } = useTranslation('history')
  const body = { at, language, namespace, key }
  return (
    <PlanButton
      icon={<History aria-hidden />}
      slug={slug}
      words={label}
      title={label}
      doIt={t('restore')}
      said={t('restored')}
      queryKey={['restore', body]}
      ask={(how, options) => response(restoreProject({ slug, body, ...how }, options))}
    />
  )
}

/** The last undo or restore in a project since this was mounted, with a button that undoes it. */
export function Done({ slug }: { slug: string }) {
  const { t } = useTranslation('history')
  const client = useQueryClient()
  const { data: done } = useQuery<LastRevert | null>({ queryKey: lastRevertKey(slug), queryFn: skipToken })
  // The notice ends when its page closes.
  useEffect(() => () => void client.setQueryData(lastRevertKey(slug), null), [client, slug])
  if (!done) return null
  const { revision, sentence } = done
  const undo = (
    <UndoButton slug={slug} revisions={[revision]} subject={sentence} title={t('undoThis')} said={t('backAgain')} />
  )
  return (
    <Notice kind="good" action={undo}>
      {sentence}
    </Notice>
  )
}
