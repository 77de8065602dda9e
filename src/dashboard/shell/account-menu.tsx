/** The reader's own things: account, look, sign-out. */
import { CircleUserRound, LogOut, Palette, UserRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useViewer } from '../api/session.ts'
import { useSignOut } from '../sign-in/use-sign-out.ts'
import { go } from '../ui/location.ts'
import { Menu } from '../ui/menu.tsx'
import { Trigger } from '../ui/trigger.tsx'
import { AppearanceDialog } from './appearance-dialog.tsx'
import styles from './frame.module.css'

/** A menu at the header's end, under the reader's name where there is room for it. */
export function AccountMenu() {
  const { t } = useTranslation()
  const { data: viewer } = useViewer()
  const [looking, setLooking] = useState(false)
  const leave = useSignOut(() => go('/sign-in'))
  const name = viewer?.user.name
  return (
    <>
      <Menu
        label={t('account')}
        button={
          <Trigger
            look="quiet"
            icon={<CircleUserRound aria-hidden />}
            aria-label={name === undefined ? t('account') : t('accountOf', { name })}
          >
            {name !== undefined && (
              <span dir="auto" className={`${styles.name} ${styles.reader}`}>
                {name}
              </span>
            )}
          </Trigger>
        }
        rows={[
          {
            id: 'account',
            label: name ?? t('account'),
            note: viewer?.user.email ?? '',
            icon: <UserRound aria-hidden />,
            to: '/account',
          },
          { id: 'look', label: t('look'), icon: <Palette aria-hidden />, onAction: () => setLooking(true) },
          { id: 'leave', label: t('signOut'), icon: <LogOut aria-hidden />, apart: true, onAction: () => void leave() },
        ]}
      />
      <AppearanceDialog isOpen={looking} onClose={() => setLooking(false)} />
    </>
  )
}
