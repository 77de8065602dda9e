/** The translations of other keys with the same source: to use, and to open. */
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { useAllRows, useEditor } from '../editor-context.ts'
import { ShownText } from '../shown-text.tsx'
import { useSameTexts } from '../use-same-texts.ts'
import { KeyLinks } from './key-links.tsx'
import styles from './panel.module.css'
import { MoreOfSection, type PanelSubject, Section, UseButton, useInField } from './section.tsx'

/** Maximum number of listed texts. */
const MOST = 5

/** Nothing without another key. Typing does not rerender it. */
export const SameTextSection = memo(function SameTextSection(subject: PanelSubject) {
  const { row, target, ending } = subject
  const { t } = useTranslation('editor')
  const { columns } = useEditor()
  const { alike } = useAllRows()
  const inField = useInField(subject)
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
              <UseButton
                aria-label={t('useOf', { key: group.rows[0]!.key })}
                onPress={() => inField(field => field.replaceAll(group.text))}
              >
                {t('use')}
              </UseButton>
            )}
            <div className={styles.keys}>
              {group.rows.length === 1 ? (
                <KeyLinks rows={group.rows} target={target} />
              ) : (
                <MoreOfSection label={t('keysCount', { count: group.rows.length })}>
                  {() => <KeyLinks rows={group.rows} target={target} />}
                </MoreOfSection>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
})
