/** An item of the inbox, with a link to its text. */
import { AtSign, CircleCheck, CircleX, ClockAlert, MessageSquarePlus, Reply } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { InboxItem } from '../api/late-client.ts'
import { useProjects } from '../api/queries.ts'
import { languageName } from '../i18n/languages.ts'
import { projectAddress } from '../ui/location.ts'
import { When } from '../ui/when.tsx'
import styles from './work.module.css'

const ICONS = {
  mention: AtSign,
  reply: Reply,
  suggestion: MessageSquarePlus,
  accepted: CircleCheck,
  rejected: CircleX,
  stale: ClockAlert,
} as const

/** In a list. */
export function InboxRow({
  item: { kind, by, project, language, namespace, key, keys, date, text },
}: {
  item: InboxItem
}) {
  const { t, i18n } = useTranslation('work')
  const { data } = useProjects()
  const of = data?.find(({ slug }) => slug === project)
  const Icon = ICONS[kind]
  const shown = language ?? of?.sourceLanguage
  const to =
    kind === 'suggestion' && language !== undefined
      ? `${projectAddress(project)}/review/${encodeURIComponent(language)}`
      : projectAddress(project, shown, namespace, shown === undefined ? undefined : key)
  return (
    <li className={styles.row}>
      <span>
        <Icon aria-hidden className={styles.icon} /> <a href={`#${to}`}>{t(`item.${kind}`, { name: by.name, key })}</a>
        {keys !== undefined && ` ${t('andMore', { count: keys - 1 })}`}
        {text !== undefined && (
          <span className={styles.quote} dir="auto">
            {text}
          </span>
        )}
      </span>
      <span className="quiet">
        {language !== undefined && <>{languageName(language, i18n.language)} · </>}
        {of?.name ?? project} · <When date={date} />
      </span>
    </li>
  )
}
