/** The menus of a translation that is edited. */
import { Ellipsis, Space } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { afterFocus } from '../ui/focus.ts'
import { late } from '../ui/late.tsx'
import { Menu } from '../ui/menu.tsx'
import { OpenerContext, useOpener } from '../ui/opener.ts'
import { Trigger } from '../ui/trigger.tsx'
import { INSERTABLE, nameOfInvisible } from './field/invisible.ts'
import type { MoreProps } from './more-rows.tsx'

const MoreRows = late(() => import('./more-rows.tsx'))

interface InvisibleProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  insert: (text: string) => void
}

/** Characters that most keyboards lack. */
export function Invisible({ isOpen, onOpenChange, insert }: InvisibleProps) {
  const { t } = useTranslation('editor')
  return (
    <Menu
      label={t('command.invisible')}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      rows={INSERTABLE.map(character => ({
        id: character,
        label: t(`character.${nameOfInvisible(character)}`),
        note: nameOfInvisible(character),
        onAction: () => afterFocus(() => insert(character)),
      }))}
      button={<Trigger small look="quiet" icon={<Space aria-hidden />} aria-label={t('command.invisible')} />}
    />
  )
}

/** Approves, copies from the source and the other languages, and discards drafts. */
export function More(props: MoreProps) {
  const { t } = useTranslation('editor')
  const { opener, opened } = useOpener('menu')
  return (
    <>
      <OpenerContext value={opener}>
        <Trigger small look="quiet" icon={<Ellipsis aria-hidden />} aria-label={t('moreOf', { key: props.row.key })} />
      </OpenerContext>
      {opened && <MoreRows {...opened} {...props} />}
    </>
  )
}
