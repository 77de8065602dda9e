/**
 * Above the grid: which project, language and namespace these texts are of, and what else can be done with all of
 * them.
 */
import { Columns3, Ellipsis, PanelRight, Undo2 } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { languageName } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { go, projectAddress, setSearch } from '../ui/location.ts'
import { Menu } from '../ui/menu.tsx'
import { Select } from '../ui/select.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import { Trigger } from '../ui/trigger.tsx'
import { setDensity, useDensity } from './density.ts'
import { useEditor } from './editor-context.ts'
import { KeyTools } from './keys/key-tools.tsx'
import styles from './toolbar.module.css'

/** The choices that the address has not, and what changes them. */
export interface EditorScope {
  onInvisible: (on: boolean) => void
  hasPanel: boolean
  /** Undefined where the panel is a sheet: each open text has a button for it. */
  onPanel: ((on: boolean) => void) | undefined
  /** There is a save to undo. */
  canUndo: boolean
}

/** Every namespace; no namespace has this name. */
const EVERY = '*'

/** The choices are part of the address. */
export const Where = memo(function Where({ onInvisible, hasPanel, onPanel, canUndo }: EditorScope) {
  const { t, i18n } = useTranslation('editor')
  const { slug, name, namespace, languages, namespaces, columns, isTree, showsInvisible, actions } = useEditor()
  const density = useDensity()
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
              isOn: density === 'compact',
              onAction: () => setDensity(density === 'compact' ? 'comfort' : 'compact'),
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
