/** The keyboard shortcuts, from the table that the handler uses. */
import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/dialog.tsx'
import styles from './keyboard-help.module.css'
import { BINDINGS, type KeyboardScope, keysOf } from './model/keyboard.ts'

/** A dialog. */
export default function KeyboardHelp({ onClose, isMac }: { onClose: () => void; isMac: boolean }) {
  const { t } = useTranslation('editor')
  return (
    <Dialog title={t('keyboard')} isOpen onClose={onClose} wide>
      <div className={styles.lists}>
        <Keys where="field" title={t('keysInField')} isMac={isMac} />
        <Keys where="grid" title={t('keysInGrid')} isMac={isMac} />
      </div>
    </Dialog>
  )
}

function Keys({ where, title, isMac }: { where: KeyboardScope; title: string; isMac: boolean }) {
  const { t } = useTranslation('editor')
  return (
    <section>
      <h3>{title}</h3>
      <dl className={styles.keys}>
        {BINDINGS.filter(binding => binding.where.includes(where)).map(binding => (
          <div key={binding.command}>
            <dt>{t(`command.${binding.command}`)}</dt>
            <dd dir="ltr">
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

const SHOWN: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Control: 'Ctrl',
  Escape: 'Esc',
}
const ON_MAC: Record<string, string> = { Control: '⌃', Meta: '⌘', Alt: '⌥', Shift: '⇧' }

const shown = (keys: string, isMac: boolean) =>
  keys
    .split('+')
    .map(key => (isMac ? ON_MAC[key] : undefined) ?? SHOWN[key] ?? key)
    .join(isMac ? ' ' : ' + ')
