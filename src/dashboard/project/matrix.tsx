/** Languages x namespaces: how much of each bundle is translated, and what is wrong with it. */
import { useTranslation } from 'react-i18next'
import type { LanguageStatus, NamespaceStatus, Status } from '../api/client.ts'
import { languageName, ownName } from '../i18n/languages.ts'
import { projectAddress } from '../shell/location.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Meter } from '../ui/meter.tsx'
import { Empty } from '../ui/state.tsx'
import table from '../ui/table.module.css'
import styles from './project.module.css'

interface Props {
  slug: string
  status: Status
  onAddNamespace: () => void
}

/** A row a language, the source first; each cell leads to its texts in the editor. */
export function Matrix({ slug, status: { sourceLanguage, languages }, onAddNamespace }: Props) {
  const { t } = useTranslation('projects')
  const namespaces = [
    ...new Set(languages.flatMap(({ namespaces }) => namespaces.map(({ namespace }) => namespace))),
  ].sort()
  if (namespaces.length === 0)
    return (
      <Empty
        title={t('noTexts')}
        action={
          <Button look="primary" onPress={onAddNamespace}>
            {t('addNamespace')}
          </Button>
        }
      >
        {t('noTextsWhy')}
      </Empty>
    )
  const isSource = ({ language }: LanguageStatus) => language === sourceLanguage
  const rows = [...languages.filter(isSource), ...languages.filter(row => !isSource(row))]
  return (
    <div className={`${table.frame} ${styles.matrix}`}>
      <table className={table.table}>
        <caption className="hidden">{t('matrixOf')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('common:language')}</th>
            <th scope="col">{t('common:all')}</th>
            {namespaces.map(namespace => (
              <th key={namespace} scope="col">
                <code>{namespace}</code>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <Row key={row.language} slug={slug} row={row} namespaces={namespaces} source={isSource(row)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps {
  slug: string
  row: LanguageStatus
  namespaces: readonly string[]
  source: boolean
}

function Row({ slug, row, namespaces, source }: RowProps) {
  const { t, i18n } = useTranslation('projects')
  const { language } = row
  const [own, name] = [ownName(language), languageName(language, i18n.language)]
  return (
    <tr>
      <th scope="row">
        <a className={styles.language} href={`#${projectAddress(slug, language)}`}>
          <bdi lang={language}>{own}</bdi>
          <span className="quiet">
            {own !== name && `${name} `}
            <code>{language}</code> {source && t('source')}
          </span>
        </a>
      </th>
      <td>
        <Cell counts={row} label={name} to={projectAddress(slug, language)} source={source} wide />
      </td>
      {namespaces.map(namespace => {
        const counts = row.namespaces.find(cell => cell.namespace === namespace)
        return (
          <td key={namespace}>
            {counts && (
              <Cell
                counts={counts}
                label={`${name}, ${namespace}`}
                to={projectAddress(slug, language, namespace)}
                source={source}
              />
            )}
          </td>
        )
      })}
    </tr>
  )
}

interface CellProps {
  counts: LanguageStatus | NamespaceStatus
  label: string
  to: string
  source: boolean
  wide?: boolean
}

/** Numbers, a bar, and a word for each thing that wants somebody; each leads to just those texts. */
function Cell({ counts, label, to, source, wide }: CellProps) {
  const { t } = useTranslation('projects')
  const wants = [
    { is: 'empty', count: counts.empty, kind: 'bad', mark: '◌' },
    { is: 'incomplete', count: counts.incomplete, kind: 'warn', mark: '◐' },
    { is: 'stale', count: counts.stale, kind: 'warn', mark: '↻' },
    { is: 'problems', count: counts.problems, kind: 'bad', mark: '!' },
    { is: 'extra', count: counts.extra, kind: undefined, mark: '+' },
  ] as const
  const open = counts.missing + counts.empty + counts.incomplete
  return (
    <div className={styles.cell}>
      <span className={styles.numbers}>
        <a className={styles.number} href={`#${to}${open > 0 && !source ? '?is=missing,empty,incomplete' : ''}`}>
          <span className="hidden">{label}: </span>
          {source ? t('keys', { count: counts.keys }) : `${counts.translated} / ${counts.keys}`}
        </a>
        {counts.missing > 0 && !source && (
          <a className={`${styles.number} quiet`} href={`#${to}?is=missing`}>
            {t('wants.missing', { count: counts.missing })}
          </a>
        )}
      </span>
      {!source && <Meter of={counts} decorates />}
      <span className={wide ? styles.wants : styles.wantsNarrow}>
        {wants.map(
          ({ is, count, kind, mark }) =>
            count > 0 && (
              <a key={is} className={styles.want} href={`#${to}?is=${is}`}>
                <Badge {...(kind && { kind })} mark={mark}>
                  {t(`wants.${is}`, { count })}
                </Badge>
              </a>
            ),
        )}
      </span>
    </div>
  )
}
