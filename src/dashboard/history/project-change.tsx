/** The differences between two states of a project's own fields. */
import { useTranslation } from 'react-i18next'
import type { ProjectFields } from '../api/client.ts'
import { Diff } from '../ui/diff.tsx'
import styles from './history.module.css'

/** As the API has it; null for a missing project. */
export interface ChangedProject {
  before: ProjectFields | null
  after: ProjectFields | null
  /** Why it stays unchanged. */
  reason?: string
}

const inWords = (fields: ProjectFields | null) =>
  fields === null ? '' : [fields.name, fields.sourceLanguage, fields.defaultFormat, ...syntaxOf(fields)].join(' · ')

const syntaxOf = ({ interpolation }: ProjectFields) =>
  interpolation ? [`${interpolation.prefix}…${interpolation.suffix}`] : []

/** Its name, source language, format and own interpolation, with a word diff. */
export function ProjectChange({ of: { before, after, reason } }: { of: ChangedProject }) {
  const { t, i18n } = useTranslation('history')
  return (
    <p className={styles.key}>
      {t('theProject')}
      <Diff before={inWords(before)} after={inWords(after)} language={i18n.language} />
      {reason}
    </p>
  )
}
