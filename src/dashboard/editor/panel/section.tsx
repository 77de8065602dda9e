/** A part of the panel with its heading. */
import type { ReactNode } from 'react'
import styles from './panel.module.css'

/** A named region. */
export const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.section} aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
)
