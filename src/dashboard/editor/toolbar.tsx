/** Above the grid: which texts these are, which of them are shown, and how. */
import { ChevronDown, Columns3, Ellipsis, ListFilter, PanelRight, Undo2 } from 'lucide-react'
import { Fragment, memo, type Ref, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { languageName } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import field from '../ui/field.module.css'
import { late } from '../ui/late.tsx'
import { go, projectAddress, setSearch } from '../ui/location.ts'
import { Menu, Trigger } from '../ui/menu.tsx'
import { Select } from '../ui/select.tsx'
import { Toggle, ToolbarGroup } from '../ui/toolbar-group.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import { setDensity, useDensity } from './browser-state.ts'
import { useEditor } from './editor-context.ts'
import type { FilterProps } from './editor-dialogs.tsx'
import { KeyTools } from './keys/key-tasks-provider.tsx'
import { KINDS_OF_ROW, type KindOfRow, problemName, ROW_MARKS, SEARCH_PLACES } from './model/filter.ts'
import styles from './toolbar.module.css'

const ChangesDialog = late(async () => ({ default: (await import('./editor-dialogs.tsx')).ChangesDialog }))

/** The choices that the address has not, and what changes them. */
interface ScopeProps {
  onInvisible: (on: boolean) => void
  hasPanel: boolean
  /** Undefined where the panel is a sheet: each open text has a button for it. */
  onPanel: ((on: boolean) => void) | undefined
  canUndo: boolean
}

interface Props extends FilterProps, ScopeProps {
  /** Rows by kind, by kind of problem, and all of them, as the search and the changes ask. */
  counts: {
    kinds: Record<KindOfRow, number>
    problems: readonly (readonly [kind: string, rows: number])[]
    total: number
  }
  shown: number
  all: number
  searchField: Ref<HTMLInputElement>
}

/** Kinds that are only offered where there are some. */
const RARE: readonly KindOfRow[] = ['extra', 'empty', ...ROW_MARKS]

/** The choices are part of the address. */
export const Toolbar = memo(function Toolbar(props: Props) {
  const { filter, ask, counts, shown, all, searchField, ...scope } = props
  const { actions, t } = useEditor()
  const { is, problems, places } = filter
  const kinds = KINDS_OF_ROW.filter(kind => counts.kinds[kind] > 0 || is.includes(kind) || !RARE.includes(kind))
  const problemRows = new Map(counts.problems)
  const problemKinds = [...new Set([...problemRows.keys(), ...problems])].sort()
  return (
    <ToolbarGroup className={`stack2 ${styles.toolbar}`} label={t('tools')} start="[type=search]">
      <Scope {...scope} />
      <div className={`row2 ${styles.row}`}>
        <input
          ref={searchField}
          type="search"
          className={`${field.input} ${styles.search}`}
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
            isOn: places.includes(place),
            onAction: () => {
              const changed = SEARCH_PLACES.filter(one => (one === place) !== places.includes(one))
              if (changed.length > 0) ask({ places: changed })
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
        <div role="group" className={`row1 ${styles.filters}`} aria-label={t('filters')}>
          <Filter
            words={t('common:all')}
            count={counts.total}
            isOn={is.length === 0}
            onChange={() => ask({ is: [] })}
          />
          {kinds.map(kind => (
            <Fragment key={kind}>
              <Filter
                sign={kind}
                words={t(`is.${kind}`)}
                count={counts.kinds[kind]}
                // Its place stays reserved: otherwise the list would move at the first typed letter.
                isSpare={kind === 'unsaved' && counts.kinds[kind] === 0 && !is.includes(kind)}
                isOn={is.includes(kind)}
                onChange={() => ask({ is: toggled(is, kind) })}
              />
              {kind === 'problems' &&
                is.includes(kind) &&
                problemKinds.map(problem => (
                  <Filter
                    key={problem}
                    sign="problems"
                    words={problemName(problem, t)}
                    count={problemRows.get(problem) ?? 0}
                    isOn={problems.includes(problem)}
                    onChange={() => ask({ problems: toggled(problems, problem) })}
                  />
                ))}
            </Fragment>
          ))}
        </div>
        <span className={styles.shown}>{t('shownOf', { shown, total: all })}</span>
      </div>
    </ToolbarGroup>
  )
})

const toggled = <T,>(list: readonly T[], one: T) =>
  list.includes(one) ? list.filter(other => other !== one) : [...list, one]

interface ToggleProps {
  sign?: string
  words: string
  count: number
  isSpare?: boolean
  isOn: boolean
  onChange: () => void
}

function Filter({ sign, words, count, isSpare = false, ...toggle }: ToggleProps) {
  const { language } = useTranslation('editor').i18n
  return (
    <Toggle className={`${styles.filter} ${isSpare ? styles.spare : ''}`} {...toggle}>
      {sign && <span aria-hidden data-sign={sign} />}
      {words} <span className={styles.count}>{count.toLocaleString(language)}</span>
    </Toggle>
  )
}

/** A button that shows the filter by changes, and its dialog. */
function ChangesFilter({ filter, ask }: FilterProps) {
  const { t } = useEditor()
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

/** Every namespace; no namespace has this name. */
const EVERY = '*'

/** Which project, language and namespace these texts are of, and what else can be done with all of them. */
const Scope = memo(function Scope({ onInvisible, hasPanel, onPanel, canUndo }: ScopeProps) {
  const { t, i18n } = useTranslation('editor')
  const { slug, name, namespace, languages, namespaces, columns, isTree, showsInvisible, actions } = useEditor()
  const isCompact = useDensity() === 'compact'
  const [language = '', ...beside] = columns.targets
  const named = (tag: string) => ({ id: tag, label: `${languageName(tag, i18n.language)} (${tag})` })
  const show = (language: string, namespace: string | undefined) => {
    const query = new URLSearchParams(location.hash.split('?')[1])
    for (const name of ['key', 'in']) query.delete(name)
    go(projectAddress(slug, language, namespace) + (query.size === 0 ? '' : `?${query}`))
  }
  return (
    <div className={`row2 ${styles.row}`}>
      <h1 dir="auto" className={styles.title}>
        <a href={`#${projectAddress(slug)}`}>{name}</a>
      </h1>
      <div className={styles.lists}>
        <Select
          label={t('common:language')}
          hideLabel
          choices={languages.map(named)}
          value={language}
          onChange={chosen => show(chosen, namespace)}
        />
        <Select
          label={t('common:namespace')}
          hideLabel
          choices={[{ id: EVERY, label: t('everyNamespace') }, ...namespaces.map(id => ({ id, label: id }))]}
          value={namespace ?? EVERY}
          onChange={chosen => show(language, chosen === EVERY ? undefined : chosen)}
        />
        <Menu
          label={t('beside')}
          rows={languages
            .filter(tag => tag !== language)
            .map(tag => ({
              ...named(tag),
              ...(tag === columns.source && { note: t('source') }),
              isOn: beside.includes(tag),
              onAction: () => setSearch({ with: toggled(beside, tag).join(',') }),
            }))}
          button={
            <Trigger icon={<Columns3 aria-hidden />} look="quiet">
              <span className={styles.words}>{t('beside')}</span>
            </Trigger>
          }
        />
      </div>
      <div className={`row1 ${styles.end}`}>
        {canUndo && (
          <Button icon={<Undo2 aria-hidden />} onPress={() => actions.command('undoSave')}>
            {t('command.undoSave')}
          </Button>
        )}
        <KeyTools />
        {onPanel && (
          <Tooltip words={t('command.panel')}>
            <Toggle className={styles.switch} aria-label={t('command.panel')} isOn={hasPanel} onChange={onPanel}>
              <PanelRight aria-hidden />
              <span className={styles.wide}>{t('panelShort')}</span>
            </Toggle>
          </Tooltip>
        )}
        <Menu
          label={t('more')}
          rows={[
            { id: 'tree', label: t('tree'), isOn: isTree, onAction: () => setSearch({ view: isTree ? null : 'tree' }) },
            {
              id: 'compact',
              label: t('compact'),
              isOn: isCompact,
              onAction: () => setDensity(isCompact ? 'comfort' : 'compact'),
            },
            {
              id: 'invisible',
              label: t('showInvisible'),
              isOn: showsInvisible,
              onAction: () => onInvisible(!showsInvisible),
            },
            { id: 'keyboard', label: t('keyboard'), apart: true, onAction: () => actions.command('help') },
          ]}
          button={<Trigger look="quiet" icon={<Ellipsis aria-hidden />} aria-label={t('more')} />}
        />
      </div>
    </div>
  )
})
