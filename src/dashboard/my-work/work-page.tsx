/** My work: what waits for the reader, the reader's own suggestions, and the inbox. */
import { useTranslation } from 'react-i18next'
import type { Project } from '../api/client.ts'
import { useProjects } from '../api/queries.ts'
import { Page, Section } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import { DecidedSuggestions } from './decided-suggestions.tsx'
import { FeedSection } from './feed-section.tsx'
import { InboxSection } from './inbox-section.tsx'
import { OwnSuggestions } from './own-suggestions.tsx'
import { WaitingSection } from './waiting-section.tsx'
import styles from './work.module.css'

/** See the file. */
export default function WorkPage() {
  const { t } = useTranslation('work')
  const projects = useProjects()
  return (
    <Page title={t('common:myWork')}>
      <div className={styles.sections}>
        <Section title={t('waitsForYou')}>
          <Loaded read={projects}>{(all: Project[]) => <WaitingSection projects={all} />}</Loaded>
        </Section>
        <Section title={t('ownSuggestions')}>
          <Loaded read={projects}>{(all: Project[]) => <OwnSuggestions projects={all} />}</Loaded>
          <DecidedSuggestions />
        </Section>
        <InboxSection />
        <FeedSection />
      </div>
    </Page>
  )
}
