/** Backup codes, shown this once. */
import { Download, Printer } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import styles from '../team/team.module.css'
import { Button } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { focusNow } from '../ui/focus.ts'
import { Notice } from '../ui/notice.tsx'
import { CopyButton } from '../ui/snippet.tsx'

/** To copy, download or print; `onKept` closes. */
export function BackupCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const { t } = useTranslation('account')
  const text = `${codes.join('\n')}\n`
  const download = () => {
    const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = address
    link.download = 'parlance-backup-codes.txt'
    link.click()
    URL.revokeObjectURL(address)
  }
  return (
    <>
      <div ref={focusNow} tabIndex={-1}>
        <Notice kind="warn">{t('codesWhy')}</Notice>
      </div>
      <ul className={styles.codes} aria-label={t('codes')}>
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.times}>
        <CopyButton text={text} label={t('copyCodes')} />
        <Button small icon={<Download aria-hidden />} onPress={download}>
          {t('common:download')}
        </Button>
        <Button small icon={<Printer aria-hidden />} onPress={() => print()}>
          {t('print')}
        </Button>
      </div>
      <Actions>
        <Button look="primary" onPress={onKept}>
          {t('kept')}
        </Button>
      </Actions>
    </>
  )
}
