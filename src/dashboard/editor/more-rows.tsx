/** The rows of the menu of an open text, while it is open. */
import { Check, Copy, PenLine, Trash2, Undo } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { isAtLeast } from '../api/rights.ts'
import { useMember } from '../api/session.ts'
import { useDiscard } from '../drafts/typed-texts.tsx'
import { useDraftStore } from '../drafts/use-drafts.tsx'
import { languageName } from '../i18n/languages.ts'
import { afterFocus } from '../ui/focus.ts'
import MenuRows, { type MenuRow } from '../ui/menu-rows.tsx'
import type { OpenedList } from '../ui/spoken.tsx'
import { useEditor } from './editor-context.ts'
import { useKeyTasks } from './keys/key-tasks.ts'
import { leafAt, modelText, textsOf } from './model/leaves.ts'
import type { EditorRow } from './model/rows.ts'
import { isIn } from './saving/unsaved-texts.ts'

export interface MoreProps {
  row: EditorRow
  target: number
  /** Whether the row approves the text or withdraws its approval; undefined for neither. */
  approves: boolean | undefined
  /** Of the field that is written in. */
  ending: string
}

/** Approves, copies from the source and the other languages, discards drafts, and begins tasks on the key. */
export default function MoreRows({ row, target, approves, ending, ...opened }: MoreProps & OpenedList) {
  const { t, i18n } = useTranslation(['editor', 'keys'])
  const { actions, columns, fields, slug, sourcePermit } = useEditor()
  const { begin, showDone } = useKeyTasks()
  const drafts = useDraftStore()
  const discard = useDiscard(showDone)
  const { who } = useMember()
  const language = columns.targets[target]!
  const copyRow = (id: string, label: string, message: EditorRow['source']): MenuRow => ({
    id,
    label,
    icon: <Copy aria-hidden />,
    onAction: () =>
      afterFocus(() => fields.get(row.id, language, ending)?.replaceAll(modelText(message, leafAt(ending)))),
  })
  const rows = [copyRow('source', t('command.copySource'), row.source)]
  for (const [at, other] of columns.targets.entries()) {
    const { message } = row.cells[at]!
    if (other === language || Object.keys(textsOf(message)).length === 0) continue
    const label = t('copyFrom', { language: `${languageName(other, i18n.language)} (${other})` })
    rows.push(copyRow(`copy ${other}`, label, message))
  }
  if (approves !== undefined) {
    rows.push({
      id: 'approve',
      label: t(approves ? 'approve' : 'unapprove'),
      icon: <Check aria-hidden />,
      apart: true,
      onAction: () => actions.approve(row, target, approves),
    })
  }
  rows.push({
    id: 'discard',
    label: t('discard'),
    icon: <Undo aria-hidden />,
    apart: true,
    onAction: () => {
      const ofKey = (drafts?.all ?? []).filter(isIn(who.organization.id, slug, row))
      discard(ofKey.filter(({ address }) => address.language === language))
    },
  })
  if (isAtLeast(sourcePermit, 'translate')) {
    rows.push(
      {
        id: 'rename',
        label: t('keys:renameRow'),
        icon: <PenLine aria-hidden />,
        apart: true,
        onAction: () => begin({ is: 'rename', row }),
      },
      {
        id: 'delete',
        label: t('keys:deleteRow'),
        icon: <Trash2 aria-hidden />,
        danger: true,
        onAction: () => begin({ is: 'delete', row }),
      },
    )
  }
  return <MenuRows {...opened} label={t('more')} rows={rows} />
}
