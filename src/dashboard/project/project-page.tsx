/** One project: its languages by its namespaces, and the actions on the whole project. */
import { Download, GitBranch, Languages, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { useManifest, useStatus } from '../api/queries.ts'
import { serverAddress } from '../api/server-address.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { Loaded } from '../ui/state.tsx'
import { AddLanguage } from './add-language.tsx'
import { AddNamespace } from './add-namespace.tsx'
import { Export } from './export.tsx'
import { Matrix } from './matrix.tsx'
import { ProjectFrame } from './project-frame.tsx'
import { shellWord } from './snippets.ts'

type Open = 'language' | 'namespace' | 'export' | 'clone' | null

/** The matrix, and the dialogs for adding, exporting and cloning. */
export default function ProjectPage() {
  const { t } = useTranslation('projects')
  const { slug = '' } = useParams()
  const [open, setOpen] = useState<Open>(null)
  const status = useStatus(slug)
  const manifest = useManifest(slug)
  const dialog = (name: Open) => ({ slug, isOpen: open === name, onClose: () => setOpen(null) })
  return (
    <ProjectFrame
      slug={slug}
      actions={
        <>
          <Button icon={<GitBranch aria-hidden />} onPress={() => setOpen('clone')}>
            {t('clone')}
          </Button>
          <Button icon={<Download aria-hidden />} onPress={() => setOpen('export')}>
            {t('export')}
          </Button>
          <Button icon={<Plus aria-hidden />} onPress={() => setOpen('namespace')}>
            {t('addNamespace')}
          </Button>
          <Button look="primary" icon={<Languages aria-hidden />} onPress={() => setOpen('language')}>
            {t('addLanguage')}
          </Button>
        </>
      }
    >
      <Loaded read={status} lines={6}>
        {status => <Matrix slug={slug} status={status} onAddNamespace={() => setOpen('namespace')} />}
      </Loaded>
      {manifest.data && (
        <>
          <AddLanguage {...dialog('language')} manifest={manifest.data} />
          <AddNamespace {...dialog('namespace')} manifest={manifest.data} />
          <Export {...dialog('export')} manifest={manifest.data} />
        </>
      )}
      <Clone {...dialog('clone')} />
    </ProjectFrame>
  )
}

/** The commands, with this server's address. */
function Clone({ slug, isOpen, onClose }: { slug: string; isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('projects')
  const base = serverAddress()
  return (
    <Dialog title={t('clone')} isOpen={isOpen} onClose={onClose} wide>
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
  )
}
