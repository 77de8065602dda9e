/** A quiet line for each invitation to another organization that waits for the reader. */
import { Mail } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useViewer, type Viewer } from '../api/session.ts'
import { useOpenInvitations } from '../sign-in/open-invitations.ts'
import styles from './frame.module.css'

/** Above every page: its reader may have landed on any. */
export function Invited() {
  const { data: viewer } = useViewer()
  return viewer ? <Lines viewer={viewer} /> : null
}

function Lines({ viewer }: { viewer: Viewer }) {
  const { t } = useTranslation()
  return useOpenInvitations(viewer).map(({ id, name }) => (
    <p key={id} className={styles.invited}>
      <Mail aria-hidden />
      <a href={`#/invitations/${id}`}>{name === undefined ? t('invitationWaits') : t('invitationTo', { name })}</a>
    </p>
  ))
}
