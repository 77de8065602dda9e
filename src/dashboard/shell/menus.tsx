/** The menus of the header: the organizations, and the reader's own things. */
import { useQueryClient } from '@tanstack/react-query'
import { Building2, ChevronDown, CircleUserRound, LogOut, Palette, Plus, UserRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, problemOf } from '../api/answer.ts'
import { setActiveOrganization } from '../api/client.ts'
import { forgetQueries, useViewer } from '../api/session.ts'
import { languageName } from '../i18n/languages.ts'
import { DASHBOARD_LANGUAGES, type DashboardLanguage, speak } from '../i18n/start.ts'
import { useSignOut } from '../sign-in/sign-out.tsx'
import { announce } from '../ui/announce.ts'
import { Dialog } from '../ui/dialog.tsx'
import { go } from '../ui/location.ts'
import { Menu, Trigger } from '../ui/menu.tsx'
import { Select } from '../ui/select.tsx'
import styles from './frame.module.css'
import { setTheme, THEMES, themeHere } from './root.tsx'

/** The active organization, and the others. Changing it leads to the projects of the other one. */
export function OrganizationMenu() {
  const { t } = useTranslation()
  const { data: viewer } = useViewer()
  const client = useQueryClient()
  if (!viewer) return null
  const here = viewer.who?.organization
  const change = async (organizationId: string, name: string) => {
    try {
      await answer(setActiveOrganization({ body: { organizationId } }))
      go('/projects')
      await forgetQueries(client)
      announce(t('organizationNow', { name }))
    } catch (error) {
      announce(problemOf(error, t))
    }
  }
  return (
    <Menu
      label={t('organizations')}
      chooses="one"
      button={
        <Trigger look="quiet" icon={<Building2 aria-hidden />}>
          <span dir="auto" className={styles.name}>
            {here?.name ?? t('noOrganization')}
          </span>
          <ChevronDown aria-hidden />
        </Trigger>
      }
      rows={[
        ...viewer.organizations.map(({ id, name }) => ({
          id,
          label: name,
          isOn: id === here?.id,
          onAction: () => void change(id, name),
        })),
        { id: 'new', label: t('newOrganization'), icon: <Plus aria-hidden />, apart: true, to: '/organizations/new' },
      ]}
    />
  )
}

/** Account, look and sign-out at the header's end, under the reader's name where there is room for it. */
export function AccountMenu() {
  const { t } = useTranslation()
  const user = useViewer().data?.user
  const [looking, setLooking] = useState(false)
  const leave = useSignOut(() => go('/sign-in'))
  return (
    <>
      <Menu
        label={t('account')}
        button={
          <Trigger
            look="quiet"
            icon={<CircleUserRound aria-hidden />}
            aria-label={user ? t('accountOf', { name: user.name }) : t('account')}
          >
            {user && (
              <span dir="auto" className={`${styles.name} ${styles.reader}`}>
                {user.name}
              </span>
            )}
          </Trigger>
        }
        rows={[
          {
            id: 'account',
            label: user?.name ?? t('account'),
            note: user?.email ?? '',
            icon: <UserRound aria-hidden />,
            to: '/account',
          },
          { id: 'look', label: t('look'), icon: <Palette aria-hidden />, onAction: () => setLooking(true) },
          { id: 'leave', label: t('signOut'), icon: <LogOut aria-hidden />, apart: true, onAction: () => void leave() },
        ]}
      />
      {looking && <AppearanceDialog onClose={() => setLooking(false)} />}
    </>
  )
}

/** The language and the theme of the dashboard. Each choice applies immediately. */
function AppearanceDialog({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useTranslation()
  const [theme, show] = useState(themeHere)
  const themes = { system: t('themeSystem'), light: t('themeLight'), dark: t('themeDark') }
  // Each language is named in itself and in the reader's language.
  const languages = Object.entries(DASHBOARD_LANGUAGES).map(([id, label]) => ({
    id: id as DashboardLanguage,
    label,
    ...(id !== i18n.language && { note: `${languageName(id, i18n.language)} (${id})` }),
  }))
  return (
    <Dialog title={t('look')} isOpen onClose={onClose}>
      <div className="stack4">
        <Select
          label={t('pageLanguage')}
          choices={languages}
          value={i18n.language as DashboardLanguage}
          onChange={language => void speak(i18n, language)}
        />
        <Select
          label={t('theme')}
          choices={THEMES.map(id => ({ id, label: themes[id] }))}
          value={theme}
          onChange={chosen => {
            setTheme(chosen)
            show(chosen)
          }}
        />
      </div>
    </Dialog>
  )
}
