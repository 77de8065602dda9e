/** Above the grid: which texts these are, which of them are shown, and how. */
import { ChevronDown, ListFilter } from 'lucide-react'
import { Fragment, memo, type Ref, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../ui/button.tsx'
import { late } from '../ui/late.tsx'
import { Menu } from '../ui/menu.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { ToolbarGroup } from '../ui/toolbar-group.tsx'
import { Trigger } from '../ui/trigger.tsx'
import { useEditor } from './editor-context.ts'
import { type EditorScope, Where } from './editor-scope.tsx'
import { KINDS_OF_ROW, type KindOfRow, problemName, ROW_MARKS, type RowFilter, SEARCH_PLACES } from './model/filter.ts'
import styles from './toolbar.module.css'

interface Props extends EditorScope {
  filter: RowFilter
  ask: (changed: Partial<RowFilter>) => void
  /** Rows by kind, and all of them, as the search and the changes ask. */
  counts: Record<KindOfRow, number>
  /** Rows by kind of problem. */
  problemCounts: readonly (readonly [kind: string, rows: number])[]
  total: number
  /** The number of listed rows, and of all. */
  shown: number
  all: number
  searchField: Ref<HTMLInputElement>
}

const ChangesDialog = late(() => import('./changes-dialog.tsx'))

/** Kinds that are only offered where there are some. */
const RARE: readonly KindOfRow[] = ['extra', 'empty', ...ROW_MARKS]

/** The choices are part of the address. */
export const Toolbar = memo(function Toolbar(props: Props) {
  const { filter, ask, counts, problemCounts, total, shown, all, searchField, ...where } = props
  const { t, i18n } = useTranslation('editor')
  const { actions } = useEditor()
  const number = new Intl.NumberFormat(i18n.language)
  const toggled = (kind: KindOfRow, on: boolean) =>
    ask({ is: on ? [...filter.is, kind] : filter.is.filter(one => one !== kind) })
  const kinds = KINDS_OF_ROW.filter(kind => counts[kind] > 0 || filter.is.includes(kind) || !RARE.includes(kind))
  // Its place stays reserved: otherwise the list would move at the first typed letter.
  const isSpare = (kind: KindOfRow) => kind === 'unsaved' && counts[kind] === 0 && !filter.is.includes(kind)
  return (
    <ToolbarGroup className={styles.toolbar} label={t('tools')} start="[type=search]">
      <Where {...where} />
      <div className={styles.row}>
        <input
          ref={searchField}
          type="search"
          className={styles.search}
          aria-label={t('command.search')}
          placeholder={t('searchIn')}
          dir="auto"
          value={filter.search}
          onChange={({ currentTarget }) => ask({ search: currentTarget.value })}
          onKeyDown={event => {
            const { key, nativeEvent } = event
            // Not all browsers do it by themselves.
            if (key === 'Escape') ask({ search: '' })
            if ((key !== 'ArrowDown' && key !== 'Enter') || nativeEvent.isComposing) return
            event.preventDefault()
            actions.enter()
          }}
        />
        <Menu
          label={t('searchWhere')}
          rows={SEARCH_PLACES.map(place => ({
            id: place,
            label: t(`place.${place}`),
            isOn: filter.places.includes(place),
            onAction: () => {
              const places = SEARCH_PLACES.filter(one => (one === place) !== filter.places.includes(one))
              if (places.length > 0) ask({ places })
            },
          }))}
          button={
            <Trigger small look="quiet">
              <span className={styles.words}>{t('searchWhere')}</span>
              <ChevronDown aria-hidden />
            </Trigger>
          }
        />
        <ChangesFilter filter={filter} ask={ask} />
        <div role="group" className={styles.filters} aria-label={t('filters')}>
          <Toggle className={styles.filter} isOn={filter.is.length === 0} onChange={() => ask({ is: [] })}>
            {t('common:all')} <span className={styles.count}>{number.format(total)}</span>
          </Toggle>
          {kinds.map(kind => (
            <Fragment key={kind}>
              <Toggle
                className={`${styles.filter} ${isSpare(kind) ? styles.spare : ''}`}
                isOn={filter.is.includes(kind)}
                onChange={on => toggled(kind, on)}
              >
                <span aria-hidden data-sign={kind} /> {t(`is.${kind}`)}{' '}
                <span className={styles.count}>{number.format(counts[kind])}</span>
              </Toggle>
              {kind === 'problems' && filter.is.includes(kind) && (
                <ProblemFilters filter={filter} ask={ask} counts={problemCounts} />
              )}
            </Fragment>
          ))}
        </div>
        <span className={styles.shown}>{t('shownOf', { shown, total: all })}</span>
      </div>
    </ToolbarGroup>
  )
})

/** A button that shows the filter by changes, and its dialog. */
function ChangesFilter({ filter, ask }: { filter: RowFilter; ask: (changed: Partial<RowFilter>) => void }) {
  const { t } = useTranslation('editor')
  const [isOpen, setIsOpen] = useState(false)
  const asked = [filter.by && t('by', { who: filter.by }), filter.since && t('sinceWhen', { when: filter.since })]
  const words = asked.filter(Boolean).join(', ')
  return (
    <>
      <Button
        small
        look={words === '' ? 'quiet' : 'plain'}
        icon={<ListFilter aria-hidden />}
        onPress={() => setIsOpen(true)}
      >
        {words || <span className={styles.words}>{t('changes')}</span>}
      </Button>
      {isOpen && <ChangesDialog filter={filter} ask={ask} onClose={() => setIsOpen(false)} />}
    </>
  )
}

interface ProblemFiltersProps {
  filter: RowFilter
  ask: (changed: Partial<RowFilter>) => void
  /** Rows by kind. */
  counts: readonly (readonly [kind: string, rows: number])[]
}

/** A button for each kind that a text has, or that the address names. */
function ProblemFilters({ filter: { problems }, ask, counts }: ProblemFiltersProps) {
  const { t, i18n } = useTranslation('editor')
  const number = new Intl.NumberFormat(i18n.language)
  const rows = new Map(counts)
  const kinds = [...new Set([...rows.keys(), ...problems])].sort()
  return kinds.map(kind => (
    <Toggle
      key={kind}
      className={styles.filter}
      isOn={problems.includes(kind)}
      onChange={on => ask({ problems: on ? [...problems, kind] : problems.filter(one => one !== kind) })}
    >
      <span aria-hidden data-sign="problems" /> {problemName(kind, t)}{' '}
      <span className={styles.count}>{number.format(rows.get(kind) ?? 0)}</span>
    </Toggle>
  ))
}
