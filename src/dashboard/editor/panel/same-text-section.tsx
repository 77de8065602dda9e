/** The translations of other keys with the same source: to use, and to open. */
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button.tsx'
import { useAllRows, useEditor } from '../editor-context.ts'
import type { SameText } from '../model/alike.ts'
import { ShownText } from '../shown-text.tsx'
import { useSameTexts } from '../use-same-texts.ts'
import { KeyLinks } from './key-links.tsx'
import styles from './panel.module.css'
import type { PanelSubject } from './panel-subject.ts'
import { Section } from './section.tsx'

/** Maximum number of listed texts. */
const MOST = 5

/** Nothing without another key. Typing does not rerender it. */
export const SameTextSection = memo(function SameTextSection({ row, target, ending, use }: PanelSubject) {
  const { t } = useTranslation('editor')
  const { columns } = useEditor()
  const { alike } = useAllRows()
  const groups = useSameTexts(row, target)(alike, ending)
  if (groups.length === 0) return null
  return (
    <Section title={t('sameText')}>
      <ul className={styles.groups}>
        {groups.slice(0, MOST).map(group => (
          <li key={group.text} className={styles.group}>
            {group.text === '' ? (
              <span className="quiet">{t('is.missing')}</span>
            ) : (
              <span className={styles.text}>
                <ShownText
                  text={group.text}
                  language={columns.targets[target]!}
                  interpolation={columns.interpolation}
                />
              </span>
            )}
            {group.text !== '' && (
              <Button
                small
                aria-label={t('useOf', { key: group.rows[0]!.key })}
                // The field stays focused, so a copied text can be undone there.
                preventFocusOnPress
                onPress={() => use(group.text)}
              >
                {t('use')}
              </Button>
            )}
            <Keys group={group} target={target} />
          </li>
        ))}
      </ul>
    </Section>
  )
})

/** The key of a text, or their number, which opens their list. */
function Keys({ group: { rows }, target }: { group: SameText; target: number }) {
  const { t } = useTranslation('editor')
  const [isOpen, setIsOpen] = useState(rows.length === 1)
  return (
    <div className={styles.keys}>
      {rows.length > 1 && (
        <button type="button" className={styles.link} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t('keysCount', { count: rows.length })}
        </button>
      )}
      {isOpen && <KeyLinks rows={rows} target={target} />}
    </div>
  )
}
