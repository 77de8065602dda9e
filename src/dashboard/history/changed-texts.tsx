/** The differences between two states of a key, each text with a word diff. */
import { changedTexts, type Message } from '../../bundle/message.ts'
import { Diff } from '../ui/diff.tsx'
import styles from './history.module.css'

interface Props {
  before: Message | null | undefined
  after: Message | null | undefined
  language: string
}

/** A line for each text and form, with the form's name. */
export function ChangedTexts({ before, after, language }: Props) {
  return changedTexts(before, after).map(({ ending, before, after }) => (
    <p key={ending} className={styles.part}>
      {ending !== '' && <code className={styles.form}>{ending.slice(1)}</code>}
      <Diff before={before ?? ''} after={after ?? ''} language={language} />
    </p>
  ))
}
