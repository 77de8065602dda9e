/** One project: its languages by its namespaces, and the actions on the whole project. */
import { Bot, Download, Ellipsis, GitBranch, Languages, Plus, Terminal, Upload } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import type { Status } from '../api/client.ts'
import { mayIn } from '../api/language-permit.ts'
import { useManifest, useStatus } from '../api/queries.ts'
import { serverAddress } from '../api/server-address.ts'
import { useMember } from '../api/session.ts'
import { machinesFor, useMachines } from '../api/use-machines.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { projectAddress } from '../ui/location.ts'
import { Menu } from '../ui/menu.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import { Trigger } from '../ui/trigger.tsx'
import { AddLanguage } from './add-language.tsx'
import { AddNamespace } from './add-namespace.tsx'
import { Export } from './export.tsx'
import type { MachineParts } from './machine-parts.ts'
import { Matrix } from './matrix.tsx'
import type { MatrixPlace } from './matrix-axes.ts'
import { RemovePlace, RenamePlace } from './place-dialogs.tsx'
import { ProjectFrame } from './project-frame.tsx'
import { commandLine, NO_TOKEN, shellWord } from './snippets.ts'

/** The open dialog, and what it is about. */
interface Open {
  dialog: 'language' | 'namespace' | 'export' | 'clone' | 'commands' | 'translate' | 'rename' | 'remove'
  place?: MatrixPlace
}

/** The matrix, the runs of machines, and the dialogs of the project, its languages and its namespaces. */
export default function ProjectPage({ TranslateDialog, MachineJobs }: MachineParts) {
  const { t } = useTranslation('projects')
  const { slug = '' } = useParams()
  const [{ dialog, place = {} }, setOpen] = useState<Partial<Open>>({})
  const base = serverAddress()
  const status = useStatus(slug)
  const manifest = useManifest(slug)
  const { who } = useMember()
  const machines = useMachines()
  const translatable = (manifest.data?.languages ?? []).filter(
    language =>
      language !== manifest.data!.sourceLanguage &&
      machinesFor(machines, language).length > 0 &&
      mayIn(who, 'suggest', slug, language),
  )
  const [startedRuns, setStartedRuns] = useState(0)
  const show = (dialog: Open['dialog'], place: MatrixPlace = {}) => setOpen({ dialog, place })
  const props = { slug, place, onClose: () => setOpen({}) }
  const namespace = (
    <Button icon={<Plus aria-hidden />} onPress={() => show('namespace')}>
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
            button={
              <Trigger icon={<Ellipsis aria-hidden />} aria-label={t('common:more')}>
                {t('common:more')}
              </Trigger>
            }
            rows={[
              { id: 'export', label: t('export'), icon: <Download aria-hidden />, onAction: () => show('export') },
              { id: 'clone', label: t('clone'), icon: <GitBranch aria-hidden />, onAction: () => show('clone') },
              ...(translatable.length > 0
                ? [
                    {
                      id: 'translate',
                      label: t('translateRest'),
                      icon: <Bot aria-hidden />,
                      onAction: () => show('translate'),
                    },
                  ]
                : []),
            ]}
          />
          {namespace}
          <Button look="primary" icon={<Languages aria-hidden />} onPress={() => show('language')}>
            {t('addLanguage')}
          </Button>
        </>
      }
    >
      <Loaded read={status} lines={6}>
        {status =>
          hasTexts(status) ? (
            <Matrix
              slug={slug}
              status={status}
              translatable={translatable}
              onAct={(action, place) =>
                show(action !== 'add' ? action : place.namespace === undefined ? 'language' : 'namespace', place)
              }
            />
          ) : (
            <Empty
              icon={<Languages aria-hidden />}
              title={t('noTexts')}
              action={
                <Actions>
                  {namespace}
                  <ButtonLink icon={<Upload aria-hidden />} to={`${projectAddress(slug)}/import`}>
                    {t('import')}
                  </ButtonLink>
                  <Button icon={<Terminal aria-hidden />} onPress={() => show('commands')}>
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
      {machines && machines.length > 0 && <MachineJobs slug={slug} started={startedRuns} onClose={props.onClose} />}
      {manifest.data && (
        <>
          <AddLanguage {...props} isOpen={dialog === 'language'} manifest={manifest.data} />
          <AddNamespace {...props} isOpen={dialog === 'namespace'} manifest={manifest.data} />
          {dialog === 'export' && <Export {...props} manifest={manifest.data} />}
          {dialog === 'remove' && <RemovePlace {...props} manifest={manifest.data} />}
          {dialog === 'translate' && (
            <Suspense fallback={null}>
              <TranslateDialog
                {...props}
                languages={translatable}
                onStarted={() => {
                  props.onClose()
                  setStartedRuns(count => count + 1)
                }}
              />
            </Suspense>
          )}
          {dialog === 'rename' && <RenamePlace {...props} manifest={manifest.data} />}
        </>
      )}
      <Dialog title={t('clone')} isOpen={dialog === 'clone'} onClose={props.onClose} wide>
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
      <Dialog title={t('common:commandLine')} isOpen={dialog === 'commands'} onClose={props.onClose} wide>
        <Snippet label={t('common:commandLine')} code={commandLine({ base, project: slug, token: NO_TOKEN })} />
      </Dialog>
    </ProjectFrame>
  )
}

const hasTexts = ({ languages }: Status) => languages.some(({ namespaces }) => namespaces.length > 0)
