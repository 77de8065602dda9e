/** The head of pages that belong together: the name of their project or organization, and tabs. */
import { useRoute } from 'wouter'
import styles from './tabs.module.css'
import { ToolbarGroup } from './toolbar-group.tsx'

/** Stands at the place of other headings, so that nothing jumps. The own heading below is smaller. */
export const Place = ({ name, to }: { name: string; to: string }) => (
  <p className={styles.place}>
    <a href={`#${to}`}>
      <bdi>{name}</bdi>
    </a>
  </p>
)

/** A tab. It is current at its own address, and with `isAbove` for the addresses below. */
export interface Tab {
  to: string
  label: string
  isAbove?: boolean
}

/** Links, so that each page has an address. They are one Tab stop, as tabs are. @param label of the group of pages */
export function Tabs({ tabs, label }: { tabs: readonly Tab[]; label: string }) {
  return (
    <nav className={styles.around} aria-label={label}>
      <ToolbarGroup className={styles.tabs} label={label} start="[aria-current]">
        {tabs.map(tab => (
          <TabLink key={tab.to} {...tab} />
        ))}
      </ToolbarGroup>
    </nav>
  )
}

function TabLink({ to, label, isAbove }: Tab) {
  const [here] = useRoute(to)
  return (
    <a href={`#${to}`} aria-current={here ? 'page' : isAbove} ref={here ? show : undefined}>
      {label}
    </a>
  )
}

/** On a phone not all tabs fit. */
const show = (tab: HTMLElement | null) => tab?.scrollIntoView({ block: 'nearest', inline: 'center' })
