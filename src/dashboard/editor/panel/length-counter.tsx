/** How long a text is, of how much it may be. */
import { useDeferredValue, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { graphemeLength } from '../../../bundle/checks/grapheme-length.ts'
import { INTERPOLATION } from '../../../bundle/placeholders.ts'
import { useDraft } from '../../drafts/use-drafts.tsx'
import { useEditor } from '../editor-context.ts'
import { useDraftAddress } from '../saving/unsaved-texts.ts'
import { useNotes } from './notes.ts'
import styles from './panel.module.css'

export interface LengthCounterProps {
  language: string
  namespace: string
  /** The key. */
  name: string
  ending: string
  /** The saved text; null is none. */
  stored: string | null
}

/** Ms without a key press after which typing counts as finished. */
const TYPING_ENDS = 1000

/** Nothing for a key without a maximum. */
export default function LengthCounter(props: LengthCounterProps) {
  const { slug } = useEditor()
  const max = useNotes(slug, props.namespace).data?.byKey.get(props.name)?.max
  return max === undefined ? null : <Counted {...props} max={max} />
}

/** Reads the typed text by itself. */
function Counted({ language, namespace, name, ending, stored, max }: LengthCounterProps & { max: number }) {
  const { t, i18n } = useTranslation('context')
  const { slug, columns } = useEditor()
  const { draft } = useDraft(useDraftAddress(slug)({ language, namespace, key: name, ending }))
  const text = useDeferredValue(draft?.text ?? stored ?? '')
  const length = graphemeLength(text, columns.interpolation ?? INTERPOLATION)
  const over = Math.max(0, length - max)
  const number = new Intl.NumberFormat(i18n.language)
  const excess = over > 0 ? t('tooLong', { count: over, over }) : ''
  const [said, say] = useState(excess)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each letter restarts the wait
  useEffect(() => {
    const timer = setTimeout(say, TYPING_ENDS, excess)
    return () => clearTimeout(timer)
  }, [excess, text])
  const values = { length: number.format(length), max: number.format(max) }
  return (
    <p className={styles.length} data-sign={over > 0 ? 'problems' : undefined}>
      <span aria-hidden>
        {excess && `${excess} · `}
        {values.length} / {values.max}
      </span>
      <span className="hidden">{t('lengthOf', values)} </span>
      {/* A region of its own: the other problems of the text are announced at the same moment. */}
      <span className="hidden" role="status">
        {said}
      </span>
    </p>
  )
}
