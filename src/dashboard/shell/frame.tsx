/** The frame around every page of a signed-in reader. */
import { useQueryClient } from '@tanstack/react-query'
import { CloudOff, FolderOpen, ListTodo, Mail, PencilLine, Users } from 'lucide-react'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useRoute } from 'wouter'
import { answer } from '../api/answer.ts'
import { getLive } from '../api/client.ts'
import { useViewer, type Viewer } from '../api/session.ts'
import { useReached } from '../api/use-reached.ts'
import { useUnsavedCounts } from '../drafts/use-unsaved-counts.ts'
import { useOpenInvitations } from '../sign-in/open-invitations.ts'
import { projectAddress } from '../ui/location.ts'
import { useSkipTarget } from '../ui/skip-target.ts'
import { ToolbarGroup } from '../ui/toolbar-group.tsx'
import { AccountMenu } from './account-menu.tsx'
import styles from './frame.module.css'
import { OrganizationMenu } from './organization-menu.tsx'
import { ReadOnly } from './read-only.tsx'

/** The header with navigation, and the current page as `<main>`. A new address moves the focus to `<main>`. */
export function Frame({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const main = useRef<HTMLElement>(null)
  const [path] = useLocation()
  const goal = useSkipTarget()
  const page = path.split('/').slice(0, 4).join('/')
  const first = useRef(page)
  // Runs before the effects of a page, which may choose a better place.
  useLayoutEffect(() => {
    if (first.current === page) return
    first.current = page
    main.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [page])
  return (
    <div className={styles.frame}>
      {/* biome-ignore lint/a11y/useValidAnchor: it skips to the content; the hash holds the dashboard's own address */}
      <a
        className={styles.skip}
        href="#main"
        onClick={event => {
          event.preventDefault()
          if (goal) goal.enter()
          else main.current?.focus()
        }}
      >
        {goal?.label ?? t('skipToContent')}
      </a>
      <header>
        <ToolbarGroup className={styles.header} label="Parlance">
          <a className={styles.brand} href="#/" aria-label={t('home')}>
            <img src="./icon.svg" alt="" width="28" height="28" />
          </a>
          <OrganizationMenu />
          <nav className={styles.navigation} aria-label={t('navigation')}>
            <NavigationLink to="/projects" icon={<FolderOpen aria-hidden />} label={t('projects')} />
            <NavigationLink to="/work" icon={<ListTodo aria-hidden />} label={t('myWork')} />
            <NavigationLink to="/team" icon={<Users aria-hidden />} label={t('team')} />
          </nav>
          <UnsavedLink />
          <AccountMenu />
        </ToolbarGroup>
      </header>
      <div role="status">
        <ServerGone />
        <ReadOnly />
        <Invited />
      </div>
      <main ref={main} id="main" className={styles.main} tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

function NavigationLink({ to, icon, label }: { to: string; icon: ReactNode; label: string }) {
  const [here] = useRoute(`${to}/*?`)
  return (
    <a href={`#${to}`} aria-current={here ? 'page' : undefined} title={label}>
      {icon}
      <span>{label}</span>
    </a>
  )
}

/** Above every page: its reader may have landed on any. */
function Invited() {
  const { data: viewer } = useViewer()
  return viewer ? <Lines viewer={viewer} /> : null
}

function Lines({ viewer }: { viewer: Viewer }) {
  const { t } = useTranslation()
  return useOpenInvitations(viewer).map(({ id, name }) => (
    <p key={id} className={styles.invited}>
      <Mail aria-hidden />
      <a href={`#/invitations/${id}`}>{name === undefined ? t('invitationWaits') : t('invitationTo', { name })}</a>
    </p>
  ))
}

/** Leads to the text that waits longest. Nothing while all is saved. */
function UnsavedLink() {
  const { t, i18n } = useTranslation()
  const { first, countIn } = useUnsavedCounts()
  if (!first) return null
  const count = countIn()
  const { project, language, namespace, key } = first
  return (
    <a className={styles.link} href={`#${projectAddress(project, language, namespace, key)}`} title={t('unsavedFirst')}>
      <PencilLine aria-hidden />
      <span className={styles.words}>{t('unsaved', { count })}</span>
      <span className={styles.number} aria-hidden>
        {new Intl.NumberFormat(i18n.language).format(count)}
      </span>
    </a>
  )
}

const AGAIN_MS = 4000

/** Polls until the server answers, then refetches the failed queries. Live events deliver the changes in between. */
function ServerGone() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const reached = useReached()
  useEffect(() => {
    if (reached) return
    const ask = () => void answer(getLive()).catch(() => {})
    const timer = setInterval(ask, AGAIN_MS)
    addEventListener('online', ask)
    return () => {
      clearInterval(timer)
      removeEventListener('online', ask)
      // Waiting for all queries would never end on a lossy line. The first failure restarts the poll instead.
      void client.invalidateQueries({ predicate: ({ state }) => state.status === 'error' })
    }
  }, [reached, client])
  if (reached) return null
  return (
    <p className={styles.gone}>
      <CloudOff aria-hidden />
      {t('serverGone')}
    </p>
  )
}
