/** The active organization, and the others. */
import { useQueryClient } from '@tanstack/react-query'
import { Building2, ChevronDown, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { setActiveOrganization } from '../api/client.ts'
import { problemOf } from '../api/problem-of.ts'
import { forgetQueries, useViewer } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { go } from '../ui/location.ts'
import { Menu } from '../ui/menu.tsx'
import { Trigger } from '../ui/trigger.tsx'
import styles from './frame.module.css'

/** Changing it leads to the projects of the other one. */
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
  const others = viewer.organizations.map(({ id, name }) => ({
    id,
    label: name,
    isOn: id === here?.id,
    onAction: () => void change(id, name),
  }))
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
        ...others,
        { id: 'new', label: t('newOrganization'), icon: <Plus aria-hidden />, apart: true, to: '/organizations/new' },
      ]}
    />
  )
}
