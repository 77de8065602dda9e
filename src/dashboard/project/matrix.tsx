/** Languages x namespaces: the progress and the problems of each bundle. */
import {
  ArrowDownWideNarrow,
  Bot,
  Download,
  EllipsisVertical,
  MessageSquareMore,
  PenLine,
  Plus,
  Trash2,
  Upload,
} from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import type { Status } from '../api/client.ts'
import { useUnsavedCounts } from '../drafts/use-drafts.tsx'
import { languageName, ownName } from '../i18n/languages.ts'
import button from '../ui/button.module.css'
import { projectAddress, setSearch } from '../ui/location.ts'
import { Menu, Trigger } from '../ui/menu.tsx'
import bar from '../ui/meter.module.css'
import table from '../ui/table.module.css'
import styles from './matrix.module.css'
import { axesOf, type MatrixPlace, type PlaceDialog } from './matrix-axes.ts'
import { EXCEPTIONS, MatrixCell } from './matrix-cell.tsx'

interface Props {
  slug: string
  status: Status
  /** The languages that a machine may translate. */
  translatable: readonly string[]
  onAct: (action: { dialog: PlaceDialog; place: MatrixPlace }) => void
}

/** Each cell leads to its texts in the editor. The order is part of the address. */
export function Matrix({ slug, status, translatable, onAct }: Props) {
  const { t, i18n } = useTranslation('projects')
  const byWork = new URLSearchParams(useSearch()).get('sort') === 'work'
  const { rows, columns, countsAt } = axesOf(status, byWork)
  const { sourceLanguage } = status
  const keys = useGridKeys()
  const { countIn } = useUnsavedCounts()
  const sumOf = (count: 'approved' | (typeof EXCEPTIONS)[number]) =>
    status.languages.reduce((sum, row) => sum + (row.language === sourceLanguage ? 0 : row[count]), 0)
  const approved = sumOf('approved')
  const head = { slug, sourceLanguage, translatable, onAct }
  return (
    <>
      {status.languages.length > 1 && (
        <div className={styles.tools}>
          <p className={`quiet ${styles.sums}`}>
            {t('matrixSums')}
            {approved > 0 && (
              <span className={styles.exception}>
                <span className={`${bar.bar} ${bar.approved} ${styles.swatch}`} aria-hidden />{' '}
                {t('approvedCount', { count: approved })}
              </span>
            )}
            {EXCEPTIONS.filter(is => sumOf(is) > 0).map(is => (
              <span key={is} className={styles.exception}>
                <span aria-hidden data-sign={is} /> {t(`wants.${is}`, { count: sumOf(is) })}
              </span>
            ))}
          </p>
          <button
            type="button"
            className={`${button.button} ${button.small} ${styles.sort}`}
            aria-pressed={byWork}
            onClick={() => setSearch({ sort: byWork ? null : 'work' })}
          >
            <ArrowDownWideNarrow aria-hidden />
            {t('byWork')}
          </button>
        </div>
      )}
      <div className={`${table.frame} ${styles.matrix}`}>
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of links, with arrow keys (WAI-ARIA APG) */}
        <table {...keys} role="grid" aria-label={t('matrixOf')} className={table.table}>
          <thead>
            <tr>
              <th scope="col">{rows[0]?.language === undefined ? t('common:namespace') : t('common:language')}</th>
              {columns.map(place => (
                <MatrixHead key={idOf(place)} {...head} place={place} scope="col" />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <tr key={idOf(row)}>
                <MatrixHead {...head} place={row} scope="row" />
                {columns.map(column => {
                  const place = { ...row, ...column }
                  const counts = countsAt(place)
                  const { language = '', namespace } = place
                  const name = languageName(language, i18n.language)
                  return (
                    <td key={idOf(column)}>
                      {counts && (
                        <MatrixCell
                          counts={counts}
                          label={namespace === undefined ? name : `${name}, ${namespace}`}
                          to={projectAddress(slug, language, namespace)}
                          isSource={language === sourceLanguage}
                          unsaved={countIn({ project: slug, ...place })}
                        />
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

const idOf = ({ language = '', namespace = '' }: MatrixPlace) => `${language}/${namespace}`

interface HeadProps extends Omit<Props, 'status'> {
  place: MatrixPlace
  sourceLanguage: string
  scope: 'row' | 'col'
}

/** The heading of a row or a column: a link to its texts, and its menu. The sums have neither. */
function MatrixHead({ slug, place, sourceLanguage, scope, translatable, onAct }: HeadProps) {
  const { t, i18n } = useTranslation('projects')
  const { language, namespace } = place
  if (language === undefined && namespace === undefined) return <th scope={scope}>{t('common:all')}</th>
  const isSource = language === sourceLanguage
  const name = namespace ?? languageName(language!, i18n.language)
  const own = namespace ?? ownName(language!)
  const others = [name !== own && name, language, isSource && t('source')].filter(Boolean)
  const words = namespace ?? [own, ...others].join(' ')
  const act = (dialog: PlaceDialog, label: string, icon: ReactNode) => ({
    id: dialog,
    label,
    icon,
    onAction: () => onAct({ dialog, place }),
  })
  const address = projectAddress(slug)
  const isTranslatable = language === undefined ? translatable.length > 0 : translatable.includes(language)
  return (
    // Its name is without its menu: it is read out with each of its cells.
    <th scope={scope} aria-label={words}>
      <span className={styles.head}>
        <a href={`#${projectAddress(slug, language ?? sourceLanguage, namespace)}`} title={words}>
          {namespace === undefined ? (
            <>
              <bdi lang={language}>{own}</bdi>{' '}
              <span className="quiet">
                {name !== own && <span className={styles.translated}>{name} </span>}
                <code>{language}</code> {isSource && <span className={styles.translated}>{t('source')}</span>}
              </span>
            </>
          ) : (
            <code>{namespace}</code>
          )}
        </a>
        <Menu
          label={t('actionsOf', { name })}
          button={
            <Trigger small look="quiet" icon={<EllipsisVertical aria-hidden />} aria-label={t('actionsOf', { name })} />
          }
          rows={[
            namespace === undefined
              ? act('language', t('addLanguage'), <Plus aria-hidden />)
              : act('namespace', t('addNamespace'), <Plus aria-hidden />),
            act('export', t('export'), <Download aria-hidden />),
            {
              id: 'import',
              label: t('import'),
              icon: <Upload aria-hidden />,
              to: `${address}/import?${new URLSearchParams({ ...place })}`,
            },
            language !== undefined &&
              !isSource && {
                id: 'review',
                label: t('review'),
                icon: <MessageSquareMore aria-hidden />,
                to: `${address}/review/${encodeURIComponent(language)}`,
              },
            isTranslatable && act('translate', t('translateRest'), <Bot aria-hidden />),
            !isSource && { ...act('rename', t('rename'), <PenLine aria-hidden />), apart: true },
            !isSource && { ...act('remove', t('remove'), <Trash2 aria-hidden />), danger: true },
          ].filter(row => row !== false)}
        />
      </span>
    </th>
  )
}

const REACHED = 'a[href], button'

const reachedIn = (part: Element | undefined): HTMLElement[] =>
  part ? [...part.querySelectorAll<HTMLElement>(REACHED)].filter(one => one.checkVisibility()) : []

/**
 * Arrow keys among the links and buttons of a table, as in a grid (WAI-ARIA APG): the table is one Tab stop. Left and
 * right go through all links of a row, up and down from cell to cell.
 * @returns attributes for a `<table role="grid">`
 */
function useGridKeys() {
  const ref = useRef<HTMLTableElement>(null)
  /** The only one that Tab reaches: the last one that had the focus. */
  const stop = useRef<HTMLElement>(undefined)
  const settle = () => {
    const table = ref.current!
    if (table.contains(document.activeElement)) stop.current = document.activeElement as HTMLElement
    else if (!stop.current?.isConnected) stop.current = reachedIn(table.tBodies[0])[0]
    for (const one of table.querySelectorAll<HTMLElement>(REACHED)) one.tabIndex = one === stop.current ? 0 : -1
  }
  // Rows come and go.
  useLayoutEffect(settle)
  const onKeyDownCapture = (event: KeyboardEvent) => {
    const { key, ctrlKey, altKey, shiftKey, metaKey } = event
    const table = ref.current!
    const from = event.target as HTMLElement
    const cell = from.closest<HTMLTableCellElement>('th, td')
    // React's events come from an open menu of the table, too, which is elsewhere in the document.
    if (!cell || !table.contains(cell) || altKey || shiftKey || metaKey) return
    const row = cell.parentElement as HTMLTableRowElement
    /** Undefined for keys with another meaning. */
    const target = (): HTMLElement | undefined => {
      if (key === 'Home' || key === 'End') return reachedIn(ctrlKey ? table : row).at(key === 'Home' ? 0 : -1)
      if (ctrlKey) return undefined
      if (key === 'ArrowUp' || key === 'ArrowDown') {
        const rows = [...table.rows]
        const others = key === 'ArrowUp' ? rows.slice(0, row.rowIndex).reverse() : rows.slice(row.rowIndex + 1)
        return others.flatMap(other => reachedIn(other.cells[cell.cellIndex]))[0] ?? from
      }
      if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined
      const all = reachedIn(row)
      const isForward = (key === 'ArrowRight') === (getComputedStyle(table).direction === 'ltr')
      return all[Math.max(all.indexOf(from) + (isForward ? 1 : -1), 0)] ?? from
    }
    const to = target()
    if (!to) return
    // The button of a menu would open it.
    event.preventDefault()
    event.stopPropagation()
    to.focus()
  }
  return { ref, onKeyDownCapture, onFocus: settle }
}
