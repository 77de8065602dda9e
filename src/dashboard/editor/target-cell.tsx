/** A translation: read, or with its fields while its row is open. */
import { Check, Copy, CornerDownLeft, Ellipsis } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { pluralRules } from '../../bundle/plural-rules.ts'
import { useDraftStore, useDrafts } from '../drafts/use-drafts.tsx'
import { Button } from '../ui/button.tsx'
import { Menu, type Row as MenuRow } from '../ui/menu.tsx'
import { Notice } from '../ui/notice.tsx'
import styles from './cell.module.css'
import { type At, useEditor } from './context.ts'
import { INSERTABLE, nameOfInvisible } from './field/invisible.ts'
import type { TranslationFieldHandle } from './field/translation-field.tsx'
import { LeafField } from './leaf-field.tsx'
import { Marks } from './marks.tsx'
import { leavesFor, modelText, textsOf, withTexts } from './model/leaves.ts'
import { cellOf, type Row } from './model/rows.ts'
import { ShownTexts } from './shown-text.tsx'
import type { SaveState } from './use-saves.ts'
import { textsIn, useDraftAddress } from './use-texts.ts'

interface Props {
  row: Row
  /** The number of the language among the targets. */
  target: number
  isUnsaved: boolean
  isGone: boolean
  state: SaveState | undefined
}

/** What is saved, or was typed, to be read. */
export function ReadCell({ row, target, isUnsaved, isGone, state }: Props) {
  const { columns, showsInvisible } = useEditor()
  const language = columns.targets[target]!
  const cell = row.cells[target]!
  const drafts = useOwnDrafts(row, language, isUnsaved)
  const texts = textsOf(drafts.length > 0 ? withTexts(cell.message, textsIn(drafts)) : cell.message)
  return (
    <div className={styles.beside}>
      {Object.keys(texts).length > 0 && (
        <span className={styles.read}>
          <ShownTexts texts={texts} language={language} invisible={showsInvisible} />
        </span>
      )}
      <Marks is={cell.is} unsaved={drafts.length > 0} gone={isGone} />
      <StateOfSave state={state} />
    </div>
  )
}

function StateOfSave({ state }: { state: SaveState | undefined }) {
  const { t } = useTranslation('editor')
  if (state?.is === 'saving') return <span className={styles.quiet}>{t('saving')}</span>
  return state && <Notice kind="bad">{t('notSavedWhy', { why: state.why })}</Notice>
}

/** Of one row and language; none without looking where it is known that there are none. */
function useOwnDrafts(row: Row, language: string, mayBe: boolean) {
  const { slug } = useEditor()
  const { organization } = useDraftAddress(slug)({ language, namespace: '', key: '', ending: '' })
  const all = useDrafts()
  if (!mayBe) return []
  return all.filter(
    ({ address }) =>
      address.organization === organization &&
      address.project === slug &&
      address.language === language &&
      address.namespace === row.namespace &&
      address.key === row.key,
  )
}

/** Its fields, one for each form of the language. @param at where the focus is to go, if here */
export function EditCell({ row, target, isGone, state, at }: Omit<Props, 'isUnsaved'> & { at: At | undefined }) {
  const { t } = useTranslation('editor')
  const { columns, slug, actions } = useEditor()
  const language = columns.targets[target]!
  const cell = row.cells[target]!
  const drafts = useOwnDrafts(row, language, true)
  const message = drafts.length > 0 ? withTexts(cell.message, textsIn(drafts)) : cell.message
  const leaves = leavesFor(row.source, cell.message, language)
  const rules = { source: pluralRules(columns.source), target: pluralRules(language) }
  const now = drafts.length > 0 ? cellOf(row.source, message, cell.sourceThen, rules) : cell
  const fields = useRef(new Map<string, TranslationFieldHandle>())
  const active = useRef(leaves[0]!.ending)
  const wanted = at?.ending ?? firstOpen(leaves, textsOf(message))
  // biome-ignore lint/correctness/useExhaustiveDependencies: it goes there when it is told to, and not when a text changes
  useEffect(() => {
    if (at && at.move > 0) fields.current.get(wanted)?.focus()
  }, [at?.move])
  const place = { language, namespace: row.namespace, key: row.key }
  const stored = textsOf(cell.message)
  return (
    <>
      {leaves.map(leaf => (
        <LeafField
          key={leaf.ending}
          place={place}
          leaf={leaf}
          stored={stored[leaf.ending] ?? null}
          model={modelText(row.source, leaf)}
          source={row.source}
          named={leaves.length > 1}
          onFocus={() => {
            active.current = leaf.ending
            actions.here(row.id, target, { isEditing: true, ending: leaf.ending })
          }}
          ref={handle => {
            if (handle) fields.current.set(leaf.ending, handle)
            else fields.current.delete(leaf.ending)
          }}
        />
      ))}
      <StateOfSave state={state} />
      <div className={styles.bar}>
        <Marks is={now.is} unsaved={drafts.length > 0} gone={isGone} />
        <div className={styles.actions}>
          {cell.is.includes('stale') && (
            <Button small icon={<Check aria-hidden />} onPress={() => actions.confirm(row, target)}>
              {t('stillRight')}
            </Button>
          )}
          <Button small onPress={() => actions.saveStay(row, target)}>
            {t('common:save')}
          </Button>
          <Button
            small
            look="primary"
            icon={<CornerDownLeft aria-hidden />}
            onPress={() => actions.saveNext(row, target)}
          >
            {t('saveNext')}
          </Button>
          <More
            row={row}
            target={target}
            copy={text => fields.current.get(active.current)?.replaceAll(text)}
            insert={text => fields.current.get(active.current)?.insert(text)}
            slug={slug}
            ending={() => active.current}
          />
        </div>
      </div>
    </>
  )
}

/** The first field that waits for a text, else the first. */
const firstOpen = (leaves: readonly { ending: string }[], texts: Readonly<Record<string, string>>) =>
  (leaves.find(({ ending }) => !texts[ending]) ?? leaves[0]!).ending

interface MoreProps {
  row: Row
  target: number
  slug: string
  copy: (text: string) => void
  insert: (text: string) => void
  ending: () => string
}

function More({ row, target, slug, copy, insert, ending }: MoreProps) {
  const { t } = useTranslation('editor')
  const { columns } = useEditor()
  const drafts = useDraftStore()
  const addressOf = useDraftAddress(slug)
  const language = columns.targets[target]!
  const { namespace, key } = row
  const beside = columns.targets.flatMap((other, at): MenuRow[] => {
    const texts = textsOf(row.cells[at]!.message)
    if (other === language || Object.keys(texts).length === 0) return []
    const text = () => texts[ending()] ?? Object.values(texts).at(-1)!
    return [{ id: `copy ${other}`, label: t('copyFrom', { language: other }), onAction: () => copy(text()) }]
  })
  const rows: MenuRow[] = [
    {
      id: 'source',
      label: t('copySource'),
      icon: <Copy aria-hidden />,
      onAction: () => copy(textsOf(row.source)[ending()] ?? Object.values(textsOf(row.source)).at(-1) ?? ''),
    },
    ...beside,
    {
      id: 'discard',
      label: t('discard'),
      apart: true,
      onAction: () => {
        for (const { ending } of leavesFor(row.source, row.cells[target]!.message, language)) {
          drafts?.discard(addressOf({ language, namespace, key, ending }))
        }
      },
    },
    ...INSERTABLE.map((character, at) => ({
      id: character,
      label: t(`character.${nameOfInvisible(character)}`),
      note: nameOfInvisible(character),
      apart: at === 0,
      onAction: () => insert(character),
    })),
  ]
  return (
    <Menu
      label={t('more')}
      rows={rows}
      button={<Button small look="quiet" icon={<Ellipsis aria-hidden />} aria-label={t('moreOf', { key: row.key })} />}
    />
  )
}
