/** Characters without a width, shown over the place where they stand; nothing is inserted into the text. */
import type { CSSProperties } from 'react'
import styles from './translation-field.module.css'

/** In pixels, from the upper left corner of the field. */
export interface InvisibleMark {
  name: string
  left: number
  top: number
  height: number
}

/** See the top of the file. Screen readers say such characters by themselves, as their user wants. */
export function InvisibleMarks({ marks }: { marks: readonly InvisibleMark[] }) {
  return (
    <span aria-hidden className={styles.marks} dir="ltr">
      {marks.map(({ name, left, top, height }, at) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the n-th mark is the n-th mark
          key={at}
          className={name === '↵' ? styles.lineEnd : styles.mark}
          style={{ left, top, '--height': `${height}px` } as CSSProperties}
          data-name={name}
        />
      ))}
    </span>
  )
}
