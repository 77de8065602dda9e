/** The keyboard shortcuts, from the table that the handler uses. */
import {
  ArrowBigUp,
  ArrowDown,
  ArrowLeft,
  ArrowRight,
  ArrowUp,
  ChevronUp,
  Command,
  type LucideIcon,
  Option,
} from 'lucide-react'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/dialog.tsx'
import { useEditor } from './editor-context.ts'
import styles from './keyboard-help.module.css'
import { BINDINGS, type KeyboardScope, keysOf } from './model/keyboard.ts'

/** A dialog. */
export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('editor')
  return (
    <Dialog title={t('keyboard')} isOpen onClose={onClose} wide>
      <div className={styles.lists}>
        <Keys where="field" title={t('keysInField')} />
        <Keys where="grid" title={t('keysInGrid')} />
      </div>
    </Dialog>
  )
}

function Keys({ where, title }: { where: KeyboardScope; title: string }) {
  const { t, isMac } = useEditor()
  return (
    <section>
      <h3>{title}</h3>
      <dl className={styles.keys}>
        {BINDINGS.filter(binding => binding.where.includes(where)).map(binding => (
          <div key={binding.command}>
            <dt>{t(`command.${binding.command}`)}</dt>
            <dd dir="ltr" lang="en">
              {keysOf(binding, isMac).map(keys => (
                <kbd key={keys}>{shown(keys, isMac)}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** The pictures on keys, named as the keys are in English. */
const PICTURES: Record<string, LucideIcon> = { ArrowUp, ArrowDown, ArrowLeft, ArrowRight }
const PICTURES_ON_MAC: Record<string, LucideIcon> = {
  ...PICTURES,
  Control: ChevronUp,
  Meta: Command,
  Alt: Option,
  Shift: ArrowBigUp,
}
const WORDS: Record<string, string> = { Control: 'Ctrl', Escape: 'Esc' }
const NAMES: Record<string, string> = { Meta: 'Command', Alt: 'Option' }

const shown = (keys: string, isMac: boolean) =>
  keys.split('+').map((key, at) => {
    const Picture = (isMac ? PICTURES_ON_MAC : PICTURES)[key]
    const name = NAMES[key] ?? key.replace('Arrow', 'Arrow ')
    return (
      <Fragment key={key}>
        {at > 0 && (isMac ? ' ' : ' + ')}
        {Picture ? <Picture role="img" aria-label={name} /> : (WORDS[key] ?? key)}
      </Fragment>
    )
  })
