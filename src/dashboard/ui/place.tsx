/** What the pages below are of: a project, an organization. */
import styles from './place.module.css'

/** Stands at the place of other headings, so that nothing jumps. The own heading below is smaller. */
export const Place = ({ name, to }: { name: string; to: string }) => (
  <p className={styles.place}>
    <a href={`#${to}`}>
      <bdi>{name}</bdi>
    </a>
  </p>
)
