/** The translations of other keys with the same source: to use, and to open. */
import { useAllRows, useEditor, useSameTexts } from '../editor-context.ts'
import { ShownText } from '../shown-text.tsx'
import styles from './panel.module.css'
import { KeyLinks, MoreOfSection, type PanelSubject, Section, UseButton, useInField } from './section.tsx'

/** Maximum number of listed texts. */
const MOST = 5

/** Nothing without another key. */
export function SameTextSection(subject: PanelSubject) {
  const { row, target, language, ending } = subject
  const { columns, t } = useEditor()
  const { alike } = useAllRows()
  const inField = useInField(subject)
  const groups = useSameTexts(row, target)(alike, ending)
  if (groups.length === 0) return null
  return (
    <Section title={t('sameText')}>
      <ul className="stack2">
        {groups.slice(0, MOST).map(({ text, rows }) => (
          <li key={text} className={styles.offer}>
            {text === '' ? (
              <span className="quiet">{t('is.missing')}</span>
            ) : (
              <>
                <span className={`${styles.words} ${styles.clamped}`}>
                  <ShownText text={text} language={language} interpolation={columns.interpolation} />
                </span>
                <UseButton
                  aria-label={t('useOf', { key: rows[0]!.key })}
                  onPress={() => inField(field => field.replaceAll(text))}
                >
                  {t('use')}
                </UseButton>
              </>
            )}
            <div>
              {rows.length === 1 ? (
                <KeyLinks rows={rows} target={target} />
              ) : (
                <MoreOfSection label={t('keysCount', { count: rows.length })}>
                  {() => <KeyLinks rows={rows} target={target} />}
                </MoreOfSection>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}
