/** One project: its languages by its namespaces, and the actions on the whole project. */
import { Bot, Download, Ellipsis, GitBranch, Languages, Plus, Terminal, Upload } from 'lucide-react'
import { type ComponentType, type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { serverAddress } from '../api/answer.ts'
import { useManifest, useStatus } from '../api/queries.ts'
import { mayIn } from '../api/rights.ts'
import { useMember } from '../api/session.ts'
import { machinesFor, useMachines } from '../api/use-machines.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { projectAddress } from '../ui/location.ts'
import { Menu, Trigger } from '../ui/menu.tsx'
import { Empty, Loaded } from '../ui/page.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { Matrix } from './matrix.tsx'
import type { MatrixPlace, PlaceDialog } from './matrix-axes.ts'
import { AddLanguage, AddNamespace, Export, RemovePlace, RenamePlace } from './project-dialogs.tsx'
import { ProjectFrame } from './project-frame.tsx'
import { commandLine, NO_TOKEN, shellWord } from './snippets.ts'

export interface TranslateDialogProps {
  slug: string
  /** The languages that a machine translates into, where the reader may suggest texts. */
  languages: readonly string[]
  /** What is chosen first. */
  place: MatrixPlace
  onClose: () => void
  onStarted: () => void
}

export interface MachineJobsProps {
  slug: string
  /** How many runs were started here: a new one moves the focus to it. */
  started: number
  onClose: () => void
}

/** Machine translation, loaded late: `translate/` has these parts, as it knows the history's dialogs. */
type MachineParts = {
  TranslateDialog: ComponentType<TranslateDialogProps>
  MachineJobs: ComponentType<MachineJobsProps>
}

type ProjectDialog = PlaceDialog | 'clone' | 'commands'

/** The matrix, the runs of machines, and the dialogs of the project, its languages and its namespaces. */
export default function ProjectPage({ TranslateDialog, MachineJobs }: MachineParts) {
  const { t } = useTranslation('projects')
  const { slug = '' } = useParams()
  const [{ dialog, place = {} }, setOpen] = useState<{ dialog?: ProjectDialog; place?: MatrixPlace }>({})
  const base = serverAddress()
  const status = useStatus(slug)
  const { data: manifest } = useManifest(slug)
  const { who } = useMember()
  const machines = useMachines()
  const translatable = (manifest?.languages ?? []).filter(
    language =>
      language !== manifest!.sourceLanguage &&
      machinesFor(machines, language).length > 0 &&
      mayIn(who, 'suggest', slug, language),
  )
  const [startedRuns, setStartedRuns] = useState(0)
  const onClose = () => setOpen({})
  const row = (dialog: ProjectDialog, label: string, icon: ReactNode) => ({
    id: dialog,
    label,
    icon,
    onAction: () => setOpen({ dialog }),
  })
  const addNamespace = (
    <Button icon={<Plus aria-hidden />} onPress={() => setOpen({ dialog: 'namespace' })}>
      {t('addNamespace')}
    </Button>
  )
  return (
    <ProjectFrame
      slug={slug}
      actions={
        <>
          <Menu
            label={t('common:more')}
            button={<Trigger icon={<Ellipsis aria-hidden />}>{t('common:more')}</Trigger>}
            rows={[
              row('export', t('export'), <Download aria-hidden />),
              row('clone', t('clone'), <GitBranch aria-hidden />),
              ...(translatable.length > 0 ? [row('translate', t('translateRest'), <Bot aria-hidden />)] : []),
            ]}
          />
          {addNamespace}
          <Button look="primary" icon={<Languages aria-hidden />} onPress={() => setOpen({ dialog: 'language' })}>
            {t('addLanguage')}
          </Button>
        </>
      }
    >
      <Loaded read={status} lines={6}>
        {status =>
          status.languages.some(({ namespaces }) => namespaces.length > 0) ? (
            <Matrix slug={slug} status={status} translatable={translatable} onAct={setOpen} />
          ) : (
            <Empty
              icon={<Languages aria-hidden />}
              title={t('noTexts')}
              action={
                <Actions>
                  {addNamespace}
                  <ButtonLink icon={<Upload aria-hidden />} to={`${projectAddress(slug)}/import`}>
                    {t('import')}
                  </ButtonLink>
                  <Button icon={<Terminal aria-hidden />} onPress={() => setOpen({ dialog: 'commands' })}>
                    {t('common:commandLine')}
                  </Button>
                </Actions>
              }
            >
              {t('noTextsWhy')}
            </Empty>
          )
        }
      </Loaded>
      {machines && machines.length > 0 && <MachineJobs slug={slug} started={startedRuns} onClose={onClose} />}
      {manifest && (
        <>
          <AddLanguage {...{ slug, manifest, onClose }} isOpen={dialog === 'language'} />
          <AddNamespace {...{ slug, manifest, onClose }} isOpen={dialog === 'namespace'} />
          {dialog === 'export' && <Export {...{ slug, manifest, place, onClose }} />}
          {dialog === 'remove' && <RemovePlace {...{ slug, manifest, place, onClose }} />}
          {dialog === 'rename' && <RenamePlace {...{ slug, manifest, place, onClose }} />}
          {dialog === 'translate' && (
            <Suspense fallback={null}>
              <TranslateDialog
                {...{ slug, place, onClose }}
                languages={translatable}
                onStarted={() => {
                  onClose()
                  setStartedRuns(count => count + 1)
                }}
              />
            </Suspense>
          )}
        </>
      )}
      <Dialog title={t('clone')} isOpen={dialog === 'clone'} onClose={onClose} wide>
        <p>{t('cloneWhy')}</p>
        <Snippet
          label="git"
          code={`git clone ${shellWord(`${base}/api/translations.git`)} translations\nls translations/${slug}/locales`}
        />
        <p>{t('cloneToken')}</p>
        <Snippet
          label={t('oneBundle')}
          code={`curl -H "x-api-key: $PARLANCE_TOKEN" ${shellWord(`${base}/api/projects/${slug}/export?format=json`)}`}
        />
      </Dialog>
      <Dialog title={t('common:commandLine')} isOpen={dialog === 'commands'} onClose={onClose} wide>
        <Snippet label={t('common:commandLine')} code={commandLine({ base, project: slug, token: NO_TOKEN })} />
      </Dialog>
    </ProjectFrame>
  )
}
