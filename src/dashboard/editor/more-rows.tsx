/** The rows of the menu of an open text, while it is open. */
import { Check, Copy, PenLine, Trash2, Undo } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { isAtLeast } from '../api/language-permit.ts'
import { useMember } from '../api/session.ts'
import { useDiscard } from '../drafts/use-discard.ts'
import { useDraftStore } from '../drafts/use-drafts.tsx'
import { languageName } from '../i18n/languages.ts'
import { afterFocus } from '../ui/focus.ts'
import MenuRows, { type MenuRow } from '../ui/menu-rows.tsx'
import type { OpenedList } from '../ui/opener.ts'
import { useEditor } from './editor-context.ts'
import { useKeyTasks } from './keys/key-tasks.ts'
import { leafAt, modelText, textsOf } from './model/leaves.ts'
import type { EditorRow } from './model/rows.ts'
import { isIn } from './saving/unsaved-texts.ts'

/** A text, and what its menu does. */
export interface MoreProps {
  row: EditorRow
  target: number
  /** Whether the row approves the text or withdraws its approval; undefined for neither. */
  approves: boolean | undefined
  copy: (text: string) => void
  /** Of the field that is written in. */
  ending: () => string
}

/** Approves, copies from the source and the other languages, and discards drafts. */
export default function MoreRows({ row, target, approves, copy, ending, ...opened }: MoreProps & OpenedList) {
  const { t, i18n } = useTranslation(['editor', 'keys'])
  const { actions, columns, slug, sourcePermit } = useEditor()
  const { begin, showDone } = useKeyTasks()
  const drafts = useDraftStore()
  const discard = useDiscard(showDone)
  const { who } = useMember()
  const language = columns.targets[target]!
  const beside = columns.targets.flatMap((other, at): MenuRow[] => {
    const { message } = row.cells[at]!
    if (other === language || Object.keys(textsOf(message)).length === 0) return []
    return [
      {
        id: `copy ${other}`,
        label: t('copyFrom', { language: `${languageName(other, i18n.language)} (${other})` }),
        icon: <Copy aria-hidden />,
        onAction: () => afterFocus(() => copy(modelText(message, leafAt(ending())))),
      },
    ]
  })
  const discardTyped = () => {
    const ofKey = (drafts?.all ?? []).filter(isIn(who.organization.id, slug, row))
    discard(ofKey.filter(({ address }) => address.language === language))
  }
  return (
    <MenuRows
      {...opened}
      label={t('more')}
      rows={[
        {
          id: 'source',
          label: t('command.copySource'),
          icon: <Copy aria-hidden />,
          onAction: () => afterFocus(() => copy(modelText(row.source, leafAt(ending())))),
        },
        ...beside,
        ...(approves === undefined
          ? []
          : [
              {
                id: 'approve',
                label: t(approves ? 'approve' : 'unapprove'),
                icon: <Check aria-hidden />,
                apart: true,
                onAction: () => actions.approve(row, target, approves),
              },
            ]),
        { id: 'discard', label: t('discard'), icon: <Undo aria-hidden />, apart: true, onAction: discardTyped },
        ...(isAtLeast(sourcePermit, 'translate')
          ? [
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
            ]
          : []),
      ]}
    />
  )
}
