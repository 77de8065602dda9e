/** Pages beside each other, as links, so that each has an address. */
import { useRoute } from 'wouter'
import styles from './tabs.module.css'
import { ToolbarGroup } from './toolbar-group.tsx'

/** A tab. It is current at its own address, and with `isAbove` for the addresses below. */
export interface Tab {
  to: string
  label: string
  isAbove?: boolean
}

/** One Tab stop, as tabs are. @param label what the pages are of, for screen readers */
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
