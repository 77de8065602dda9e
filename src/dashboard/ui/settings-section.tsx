/** A section of a page of settings: what it is of, and beside it the form. */
import type { ReactNode } from 'react'
import styles from './settings-section.module.css'

interface Props {
  title: ReactNode
  /** Below the heading: one sentence. */
  lead?: ReactNode
  /** Below both: buttons for all of the content. */
  actions?: ReactNode
  /** Framed in red: what is deleted here. */
  danger?: boolean
  children: ReactNode
}

export function SettingsSection({ title, lead, actions, danger, children }: Props) {
  return (
    <section className={`${styles.section} ${danger ? styles.danger : ''}`}>
      <div className="stack2">
        <h2>{title}</h2>
        {lead !== undefined && <p className="quiet">{lead}</p>}
        {actions && <span>{actions}</span>}
      </div>
      <div className="stack3">{children}</div>
    </section>
  )
}
