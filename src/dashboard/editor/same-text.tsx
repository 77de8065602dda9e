/** The other keys with the same source text: their translations, to copy or to open. */
import { memo, type RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../ui/button.tsx'
import styles from './details.module.css'
import { useAllRows, useEditor } from './editor-context.ts'
import type { TranslationFieldHandle } from './field/field-props.ts'
import { firstTextsByMessage } from './model/alike.ts'
import type { EditorRow } from './model/rows.ts'
import { ShownText } from './shown-text.tsx'

/** Maximum number of listed texts. */
const MOST = 5

interface Props {
  row: EditorRow
  /** The number of the language among the targets. */
  target: number
  fields: RefObject<ReadonlyMap<string, TranslationFieldHandle>>
  /** The ending of the field that is written in, which gets a text that is used. */
  active: string
}

/** Translated ones first; nothing without another key. Typing does not rerender it. */
export const SameText = memo(function SameText({ row, target, fields, active }: Props) {
  const { t } = useTranslation('editor')
  const { columns, actions } = useEditor()
  const { alike } = useAllRows()
  const others = firstTextsByMessage(alike(row), target, active)
  if (others.length === 0) return null
  return (
    <dl className={`${styles.details} ${styles.same}`}>
      <dt>{t('sameText', { count: others.length })}</dt>
      {others.slice(0, MOST).map(({ row: other, text }) => (
        <dd key={other.id}>
          <button
            type="button"
            className={styles.link}
            onClick={() => actions.go(other.id, target, { isEditing: true })}
            aria-label={t('goTo', { key: other.key })}
          >
            <code>{other.key}</code>
          </button>
          {text !== '' && (
            <>
              <ShownText text={text} language={columns.targets[target]!} interpolation={columns.interpolation} />
              <Button
                small
                aria-label={t('useOf', { key: other.key })}
                // The field stays focused, so a copied text can be undone there.
                preventFocusOnPress
                onPress={() => fields.current.get(active)?.replaceAll(text)}
              >
                {t('use')}
              </Button>
            </>
          )}
        </dd>
      ))}
    </dl>
  )
})
