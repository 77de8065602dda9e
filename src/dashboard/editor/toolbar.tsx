/** Above the grid: which texts these are, which of them are shown, and how. */
import { ChevronDown, CircleHelp, Columns3, Eye, ListTree, Undo2 } from 'lucide-react'
import { memo, type Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { languageName } from '../i18n/languages.ts'
import { go, projectAddress, setSearch } from '../shell/location.ts'
import { Button } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { Select } from '../ui/select.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import { Trigger } from '../ui/trigger.tsx'
import { ChangesFilter } from './changes-filter.tsx'
import { useEditor } from './context.ts'
import { KeyTools } from './keys/key-tools.tsx'
import { SIGNS } from './marks.tsx'
import { type Filter, KINDS_OF_ROW, type KindOfRow, PLACES } from './model/filter.ts'
import type { Command } from './model/keyboard.ts'
import styles from './toolbar.module.css'

interface Props {
  /** Of the project. */
  name: string
  namespace: string | undefined
  languages: readonly string[]
  namespaces: readonly string[]
  filter: Filter
  ask: (changed: Partial<Filter>) => void
  counts: Record<KindOfRow, number>
  total: number
  isTree: boolean
  onTree: (on: boolean) => void
  onInvisible: (on: boolean) => void
  onHelp: () => void
  /** Takes back the last save; undefined while there is none. */
  undo: ((command: Command) => void) | undefined
  searchField: Ref<HTMLInputElement>
}

/** Kinds that are only offered where there are some. */
const RARE: readonly KindOfRow[] = ['extra', 'empty']

/** What is chosen here stands in the address. */
export const Toolbar = memo(function Toolbar({ filter, ask, counts, total, searchField, ...where }: Props) {
  const { t, i18n } = useTranslation('editor')
  const number = new Intl.NumberFormat(i18n.language)
  const toggled = (kind: KindOfRow, on: boolean) =>
    ask({ is: on ? [...filter.is, kind] : filter.is.filter(one => one !== kind) })
  const kinds = KINDS_OF_ROW.filter(kind => counts[kind] > 0 || filter.is.includes(kind) || !RARE.includes(kind))
  // Its place is kept: with the first letter that is typed, the list would move.
  const isSpare = (kind: KindOfRow) => kind === 'unsaved' && counts[kind] === 0 && !filter.is.includes(kind)
  return (
    <div className={styles.toolbar}>
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
          // Not all browsers do it by themselves.
          onKeyDown={({ key }) => key === 'Escape' && ask({ search: '' })}
        />
        <Menu
          label={t('searchWhere')}
          rows={PLACES.map(place => ({
            id: place,
            label: t(`place.${place}`),
            ...ticked(filter.places.includes(place), t('searched')),
            onAction: () => {
              const places = PLACES.filter(one => (one === place) !== filter.places.includes(one))
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
        <div className={styles.filters} role="group" aria-label={t('filters')}>
          <Toggle className={styles.filter} isOn={filter.is.length === 0} onChange={() => ask({ is: [] })}>
            {t('common:all')} <span className={styles.count}>{number.format(total)}</span>
          </Toggle>
          {kinds.map(kind => (
            <Toggle
              key={kind}
              className={`${styles.filter} ${isSpare(kind) ? styles.spare : ''}`}
              isOn={filter.is.includes(kind)}
              onChange={on => toggled(kind, on)}
            >
              <span aria-hidden>{SIGNS[kind].sign}</span> {t(`is.${kind}`)}{' '}
              <span className={styles.count}>{number.format(counts[kind])}</span>
            </Toggle>
          ))}
        </div>
      </div>
    </div>
  )
})

/** What tells that a row of a menu is chosen; the words of the others begin where its do. */
const ticked = (on: boolean, note: string) => ({
  icon: <span aria-hidden>{on ? '✓' : '\u2003'}</span>,
  ...(on && { note }),
})

/** Every namespace; no namespace has this name. */
const EVERY = '*'

const Where = memo(function Where(props: Omit<Props, 'filter' | 'ask' | 'counts' | 'total' | 'searchField'>) {
  const { name, namespace, languages, namespaces, isTree, onTree, onInvisible, onHelp, undo } = props
  const { t, i18n } = useTranslation('editor')
  const { slug, columns, showsInvisible } = useEditor()
  const [language = '', ...beside] = columns.targets
  const named = (tag: string) => ({ id: tag, label: `${languageName(tag, i18n.language)} (${tag})` })
  const show = (language: string, namespace: string | undefined) => {
    const query = new URLSearchParams(location.hash.split('?')[1])
    for (const name of ['key', 'in']) query.delete(name)
    const text = query.toString()
    go(`${projectAddress(slug, language, namespace)}${text === '' ? '' : `?${text}`}`)
  }
  return (
    <div className={styles.row}>
      <h1 className={styles.title}>
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
            .filter(tag => tag !== language && tag !== columns.source)
            .map(tag => ({
              ...named(tag),
              ...ticked(beside.includes(tag), t('shownBeside')),
              onAction: () => {
                const shown = beside.includes(tag) ? beside.filter(one => one !== tag) : [...beside, tag]
                setSearch({ with: shown.join(',') || null })
              },
            }))}
          button={
            <Trigger icon={<Columns3 aria-hidden />} look="quiet">
              <span className={styles.words}>{t('beside')}</span>
            </Trigger>
          }
        />
      </div>
      <div className={styles.end}>
        {undo && (
          <Button small icon={<Undo2 aria-hidden />} onPress={() => undo('undoSave')}>
            {t('command.undoSave')}
          </Button>
        )}
        <KeyTools />
        <Switch icon={<ListTree aria-hidden />} label={t('tree')} isOn={isTree} onChange={onTree} />
        <Switch icon={<Eye aria-hidden />} label={t('showInvisible')} isOn={showsInvisible} onChange={onInvisible} />
        <Tooltip words={t('keyboard')}>
          <Button look="quiet" icon={<CircleHelp aria-hidden />} aria-label={t('keyboard')} onPress={onHelp} />
        </Tooltip>
      </div>
    </div>
  )
})

interface SwitchProps {
  icon: React.ReactNode
  label: string
  isOn: boolean
  onChange: (on: boolean) => void
}

const Switch = ({ icon, label, isOn, onChange }: SwitchProps) => (
  <Tooltip words={label}>
    <Toggle className={styles.switch} aria-label={label} isOn={isOn} onChange={onChange}>
      {icon}
    </Toggle>
  </Tooltip>
)

interface ToggleProps {
  className: string | undefined
  'aria-label'?: string
  isOn: boolean
  onChange: (on: boolean) => void
  children: React.ReactNode
}

const Toggle = ({ isOn, onChange, ...attributes }: ToggleProps) => (
  <button {...attributes} type="button" aria-pressed={isOn} onClick={() => onChange(!isOn)} />
)
