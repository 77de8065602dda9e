/** How to have the whole history on one's own machine. */
import { useTranslation } from 'react-i18next'
import { serverAddress } from '../api/server-address.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { shellWord } from './snippets.ts'

/** The commands, with this server's address. */
export function Clone({ slug, isOpen, onClose }: { slug: string; isOpen: boolean; onClose: () => void }) {
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
