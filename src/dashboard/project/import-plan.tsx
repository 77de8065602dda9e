/** The preview of an import, bundle by bundle, and its execution. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, SkipForward } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { subjectText } from '../../bundle/commit-subject.ts'
import { answer } from '../api/answer.ts'
import { type ManyPushed, pushBundles, revertRevision } from '../api/client.ts'
import { findLanguage } from '../i18n/find-language.ts'
import { announce } from '../ui/announce.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Wrong } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import table from '../ui/table.module.css'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { type PlacedFile, twiceIn } from './placed-files.ts'
import { PARTS, PlannedBundle } from './planned-bundle.tsx'
import styles from './project.module.css'
import { whyNot } from './use-language.ts'

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
      const message = subjectText({ slug, kind: 'import', bundles: plan.data!.bundles.length })
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

interface PlacesProps {
  files: readonly PlacedFile[]
  onChange: (files: PlacedFile[]) => void
}

/** The bundle of each dropped file, a row each; the user can correct the guess. */
function FilePlaces({ files, onChange }: PlacesProps) {
  const { t } = useTranslation('projects')
  const twice = twiceIn(files)
  const change = (id: string, part: Partial<PlacedFile>) =>
    onChange(files.map(file => (file.id === id ? { ...file, ...part } : file)))
  return (
    <div className={`${table.frame} ${styles.plan}`}>
      <table className={`${table.table} ${table.stacks}`} aria-label={t('placesOfFiles')}>
        <thead>
          <tr>
            <th scope="col">{t('file')}</th>
            <th scope="col">{t('common:language')}</th>
            <th scope="col">{t('common:namespace')}</th>
          </tr>
        </thead>
        <tbody>
          {files.map(file => {
            const { id, path, language, namespace, fault } = file
            const wrong = fault ?? (twice.has(file) ? 'twice' : null)
            const isLeftOut = wrong === null && (language === null || namespace === null)
            return (
              <tr key={id}>
                <th scope="row">
                  <code>{path}</code>{' '}
                  {wrong !== null && (
                    <Badge kind="bad" mark={<CircleAlert />}>
                      {t(`fault.${wrong}`)}
                    </Badge>
                  )}
                  {isLeftOut && (
                    <Badge kind="warn" mark={<SkipForward />}>
                      {t('fault.left-out')}
                    </Badge>
                  )}
                </th>
                <td data-label={t('common:language')}>
                  <LanguageOf
                    file={file}
                    label={t('partOf', { part: t('common:language'), path })}
                    onChange={language => change(id, { language })}
                  />
                </td>
                <td data-label={t('common:namespace')}>
                  <TextField
                    aria-label={t('partOf', { part: t('common:namespace'), path })}
                    value={namespace ?? ''}
                    onChange={value => change(id, { namespace: value.trim() === '' ? null : value.trim() })}
                    isDisabled={fault !== null}
                    code
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

interface LanguageProps {
  file: PlacedFile
  label: string
  onChange: (language: string | null) => void
}

/** Accepts any name, tag or code, and shows the tag after the field is left. An empty field excludes the file. */
function LanguageOf({ file: { language, fault }, label, onChange }: LanguageProps) {
  const { t, i18n } = useTranslation('projects')
  const [typed, setTyped] = useState(language ?? '')
  const [error, setError] = useState('')
  const type = (value: string) => {
    const now = findLanguage(value, i18n.language)
    setTyped(value)
    setError('')
    onChange('tag' in now ? now.tag : null)
  }
  const leave = () => {
    const found = findLanguage(typed, i18n.language)
    if ('tag' in found) setTyped(found.tag)
    else if (typed.trim() !== '') setError(whyNot(found, typed.trim(), t, i18n.language))
  }
  return (
    <TextField
      aria-label={label}
      value={typed}
      onChange={type}
      onBlur={leave}
      error={error}
      isDisabled={fault !== null}
      code
    />
  )
}
