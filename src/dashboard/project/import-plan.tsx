/** The preview of an import: the bundle of each file, what would change, and its execution. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, SkipForward } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { subjectText } from '../../bundle/commit-subject.ts'
import { answer } from '../api/answer.ts'
import { pushBundles, revertRevision } from '../api/client.ts'
import { findLanguage } from '../i18n/find-language.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Actions } from '../ui/dialog.tsx'
import { TextField, useSubmission, Wrong } from '../ui/form.tsx'
import { Badge, Notice } from '../ui/notice.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import table from '../ui/table.module.css'
import { type PlacedFile, twiceIn } from './placed-files.ts'
import { PlanTable } from './plan-table.tsx'
import styles from './project.module.css'
import { whyNot } from './project-fields.tsx'

let plans = 0

/** Files with a bundle, in the shape of a push of several bundles. */
function bundlesOf(files: readonly PlacedFile[]) {
  const bundles: Record<string, Record<string, NonNullable<PlacedFile['resource']>>> = {}
  for (const { language, namespace, resource } of files)
    if (language !== null && namespace !== null && resource !== null) (bundles[language] ??= {})[namespace] = resource
  return bundles
}

interface Props {
  slug: string
  files: readonly PlacedFile[]
  onDone: () => void
}

/** The plan is a dry run of the very request that applies it, with the state that it saw as its condition. */
export function ImportPlan({ slug, files: dropped, onDone }: Props) {
  const { t } = useTranslation('projects')
  const client = useQueryClient()
  // Not the texts themselves, which may be many megabytes: TanStack Query compares keys as JSON.
  const [{ files, version }, setPlaced] = useState(() => ({ files: dropped, version: ++plans }))
  const [overwrite, setOverwrite] = useState(false)
  const [prune, setPrune] = useState(false)
  const { pending, problem, send } = useSubmission()
  const undoing = useSubmission()
  const [done, setDone] = useState<{ revision: string; added: number; updated: number }>()
  const bundles = bundlesOf(files)
  const how = { ...(overwrite && { overwrite: 'true' as const }), ...(prune && { prune: 'true' as const }) }
  const plan = useQuery({
    queryKey: ['project', slug, 'plan', version, how],
    queryFn: ({ signal }) =>
      answer(pushBundles({ slug, dryRun: 'true', details: 'true', ...how, manyPush: { bundles } }, { signal })),
    enabled: Object.keys(bundles).length > 0 && twiceIn(files).size === 0 && !done,
    retry: false,
    structuralSharing: false,
    staleTime: 0,
  })
  const apply = async () => {
    const isDone = await send(async () => {
      const planned = plan.data!.bundles
      const expected = Object.fromEntries(planned.map(one => [`${one.language}/${one.namespace}`, one.etag]))
      const message = subjectText({ slug, kind: 'import', bundles: planned.length })
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
      <FilePlaces files={files} onChange={files => setPlaced({ files, version: ++plans })} />
      <Checkbox isSelected={overwrite} onChange={setOverwrite}>
        {t('overwrite')}
      </Checkbox>
      <Checkbox isSelected={prune} onChange={setPrune}>
        {t('prune')}
      </Checkbox>
      {plan.fetchStatus !== 'idle' || plan.data || plan.error ? (
        <Loaded read={plan}>{({ bundles }) => <PlanTable bundles={bundles} />}</Loaded>
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

/** The bundle of each dropped file, a row each; the user can correct the guess. */
function FilePlaces({ files, onChange }: Pick<Props, 'files'> & { onChange: (files: PlacedFile[]) => void }) {
  const { t } = useTranslation('projects')
  const twice = twiceIn(files)
  const [languageTitle, namespaceTitle] = [t('common:language'), t('common:namespace')]
  return (
    <div className={`${table.frame} ${styles.plan}`}>
      <table className={`${table.table} ${table.stacks}`} aria-label={t('placesOfFiles')}>
        <thead>
          <tr>
            {[t('file'), languageTitle, namespaceTitle].map(title => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {files.map(file => {
            const { id, path, language, namespace, fault } = file
            const wrong = fault ?? (twice.has(file) ? 'twice' : null)
            const change = (part: Partial<PlacedFile>) =>
              onChange(files.map(other => (other === file ? { ...file, ...part } : other)))
            return (
              <tr key={id}>
                <th scope="row">
                  <code>{path}</code>{' '}
                  {wrong !== null && (
                    <Badge kind="bad" mark={<CircleAlert />}>
                      {t(`fault.${wrong}`)}
                    </Badge>
                  )}
                  {wrong === null && (language === null || namespace === null) && (
                    <Badge kind="warn" mark={<SkipForward />}>
                      {t('fault.left-out')}
                    </Badge>
                  )}
                </th>
                <td data-label={languageTitle}>
                  <LanguageOf file={file} onChange={language => change({ language })} />
                </td>
                <td data-label={namespaceTitle}>
                  <TextField
                    aria-label={t('partOf', { part: namespaceTitle, path })}
                    value={namespace ?? ''}
                    onChange={value => change({ namespace: value.trim() || null })}
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

/** Accepts any name, tag or code, and shows the tag after the field is left. An empty field excludes the file. */
function LanguageOf({ file, onChange }: { file: PlacedFile; onChange: (language: string | null) => void }) {
  const { t, i18n } = useTranslation('projects')
  const [typed, setTyped] = useState(file.language ?? '')
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
      aria-label={t('partOf', { part: t('common:language'), path: file.path })}
      value={typed}
      onChange={type}
      onBlur={leave}
      error={error}
      isDisabled={file.fault !== null}
      code
    />
  )
}
