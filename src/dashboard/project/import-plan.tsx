/** The preview of an import, bundle by bundle, and its execution. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type ManyPushed, pushBundles, revertRevision } from '../api/client.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Wrong } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import table from '../ui/table.module.css'
import { useSubmission } from '../ui/use-submission.ts'
import { FilePlaces } from './file-places.tsx'
import { type PlacedFile, twiceIn } from './placed-files.ts'
import { PARTS, PlannedBundle } from './planned-bundle.tsx'
import styles from './project.module.css'

interface Props {
  slug: string
  files: readonly PlacedFile[]
  onDone: () => void
}

/** A counter of plans since the start. */
let drops = 0

/** Files with a bundle, in the shape of a push of several bundles. */
function bundlesOf(files: readonly PlacedFile[]): Record<string, Record<string, Record<string, unknown>>> {
  const bundles: Record<string, Record<string, Record<string, unknown>>> = {}
  for (const { language, namespace, resource } of files)
    if (language !== null && namespace !== null && resource !== null) (bundles[language] ??= {})[namespace] = resource
  return bundles
}

/** The plan is a dry run of the very request that applies it, with the state that it saw as its condition. */
export function ImportPlan({ slug, files: dropped, onDone }: Props) {
  const { t } = useTranslation('projects')
  const client = useQueryClient()
  const [files, setFiles] = useState(dropped)
  const [overwrite, setOverwrite] = useState(false)
  const [prune, setPrune] = useState(false)
  const { pending, problem, send } = useSubmission()
  const undoing = useSubmission()
  const [done, setDone] = useState<{ revision: string; added: number; updated: number }>()
  // Not the texts themselves, which may be many megabytes: TanStack Query compares keys as JSON.
  const [drop] = useState(() => ++drops)
  const [version, setVersion] = useState(0)
  const place = (placed: readonly PlacedFile[]) => {
    setFiles(placed)
    setVersion(version + 1)
  }
  const bundles = bundlesOf(files)
  const how = { ...(overwrite && { overwrite: 'true' as const }), ...(prune && { prune: 'true' as const }) }
  const plan = useQuery({
    queryKey: ['project', slug, 'plan', drop, version, how],
    queryFn: ({ signal }) =>
      answer(pushBundles({ slug, dryRun: 'true', details: 'true', ...how, manyPush: { bundles } }, { signal })),
    enabled: Object.keys(bundles).length > 0 && twiceIn(files).size === 0 && !done,
    retry: false,
    structuralSharing: false,
    staleTime: 0,
  })
  const apply = async () => {
    const isDone = await send(async () => {
      const expected = Object.fromEntries(
        plan.data!.bundles.map(({ language, namespace, etag }) => [`${language}/${namespace}`, etag]),
      )
      const message = t('importSubject', { count: plan.data!.bundles.length, lng: 'en' })
      const made = await answer(pushBundles({ slug, ...how, manyPush: { bundles, expected, message } }))
      setDone(made)
      await client.invalidateQueries({ queryKey: ['project', slug] })
      announce(t('imported', { count: made.added + made.updated }))
    })
    if (!isDone) void plan.refetch()
  }
  const undo = () =>
    undoing.send(async () => {
      await answer(revertRevision({ slug, body: { revision: done!.revision } }))
      await client.invalidateQueries({ queryKey: ['project', slug] })
      announce(t('importUndone'))
      onDone()
    })
  if (done)
    return (
      <>
        <Notice kind="good" action={<Button onPress={() => void undo()}>{t('undo')}</Button>}>
          {t('imported', { count: done.added + done.updated })}
        </Notice>
        <Wrong problem={undoing.problem} />
      </>
    )
  const changes = plan.data ? plan.data.added + plan.data.updated + (plan.data.removed ?? 0) : 0
  return (
    <Section title={t('plan')}>
      <FilePlaces files={files} onChange={place} />
      <Checkbox isSelected={overwrite} onChange={setOverwrite}>
        {t('overwrite')}
      </Checkbox>
      <Checkbox isSelected={prune} onChange={setPrune}>
        {t('prune')}
      </Checkbox>
      {plan.fetchStatus !== 'idle' || plan.data || plan.error ? (
        <Loaded read={plan}>{plan => <PlanTable plan={plan} />}</Loaded>
      ) : (
        files.some(({ fault }) => fault === null) && <Notice kind="warn">{t('noPlace')}</Notice>
      )}
      <Wrong problem={problem} />
      <Actions>
        <Button onPress={onDone}>{t('common:cancel')}</Button>
        <Button
          look="primary"
          isPending={pending}
          isDisabled={changes === 0 || !!plan.error}
          onPress={() => void apply()}
        >
          {t('apply', { count: changes })}
        </Button>
      </Actions>
    </Section>
  )
}

/** Counts for each bundle, and its keys when opened. */
function PlanTable({ plan }: { plan: ManyPushed }) {
  const { t } = useTranslation('projects')
  return (
    <div className={`${table.frame} ${styles.plan}`}>
      <table className={table.table} aria-label={t('plan')}>
        <thead>
          <tr>
            <th scope="col">{t('bundle')}</th>
            {PARTS.map(part => (
              <th key={part} scope="col" className={table.number}>
                {t(`planned.${part}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {plan.bundles.map(bundle => (
            <PlannedBundle key={`${bundle.language}/${bundle.namespace}`} bundle={bundle} />
          ))}
        </tbody>
      </table>
    </div>
  )
}
