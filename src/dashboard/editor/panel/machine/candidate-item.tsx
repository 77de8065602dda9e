/** A possible translation by a machine. */
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useEditor } from '../../editor-context.ts'
import { sentenceOf } from '../../field/fault-sentence.ts'
import { leafAt } from '../../model/leaves.ts'
import { formName, ShownText } from '../../shown-text.tsx'
import panel from '../panel.module.css'
import { UseButton } from '../section.tsx'
import styles from './machine.module.css'
import type { Candidate } from './use-candidates.ts'

interface Props {
  candidate: Candidate
  language: string
  onUse: () => void
}

/** Its forms, its problems, and the button that fills the fields with it. */
export function CandidateItem({ candidate: { by, texts, faults }, language, onUse }: Props) {
  const { t } = useTranslation('machine')
  const { columns, t: inEditor } = useEditor()
  const id = useId()
  const name = by ?? t('thisBrowser')
  const problems = new Set(faults.map(fault => sentenceOf(fault, inEditor)))
  const forms = Object.entries(texts)
  return (
    <li className={styles.candidate}>
      <span className={styles.by}>
        <bdi>{name}</bdi>
      </span>
      <UseButton aria-label={t('useOf', { by: name })} aria-describedby={id} data-candidate={name} onPress={onUse}>
        {inEditor('use')}
      </UseButton>
      <div id={id} className={styles.words}>
        {forms.map(([ending, text]) => (
          <p key={ending} className={styles.text}>
            {forms.length > 1 && <span className={panel.form}>{formName(leafAt(ending), inEditor)}</span>}
            <ShownText text={text} language={language} interpolation={columns.interpolation} />
          </p>
        ))}
        {[...problems].map(sentence => (
          <p key={sentence} className={styles.problem} data-sign="problems">
            {sentence}
          </p>
        ))}
      </div>
    </li>
  )
}
