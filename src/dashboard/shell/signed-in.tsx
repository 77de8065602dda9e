/** The providers and the frame around every page of a signed-in reader. */
import { useQueryClient } from '@tanstack/react-query'
import { CloudOff, FolderOpen, ListTodo, Mail, PencilLine, PencilOff, Users } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useRoute } from 'wouter'
import { answer } from '../api/answer.ts'
import { getHealth, getLive, listProjects } from '../api/client.ts'
import { onServer, STALE } from '../api/connection.ts'
import { useReached } from '../api/queries.ts'
import { useViewer, VIEWER } from '../api/session.ts'
import { DraftsProvider, useFollowRenames, useUnsavedCounts } from '../drafts/use-drafts.tsx'
import { useLive, useLiveUpdates } from '../live/live.ts'
import { useOpenInvitations } from '../sign-in/open-invitations.ts'
import { loadWhenIdle } from '../ui/late.tsx'
import { projectAddress } from '../ui/location.ts'
import { useSkipTarget } from '../ui/skip-target.ts'
import { ToolbarGroup } from '../ui/toolbar-group.tsx'
import styles from './frame.module.css'
import { AccountMenu, OrganizationMenu } from './menus.tsx'

export default function SignedIn({ children }: { children: ReactNode }) {
  const { data: viewer, error } = useViewer()
  const client = useQueryClient()
  // The session has ended. The next session listens again.
  const ended = error !== null
  useLiveUpdates(ended ? undefined : viewer?.who?.organization.id)
  const live = useLive()
  useEffect(() => {
    // The server refused this reader: ask for the user and the organization again.
    if (live === 'ended') void client.invalidateQueries({ queryKey: VIEWER })
  }, [live, client])
  // A page is ready when its heading is rendered.
  useEffect(() => loadWhenIdle(() => client.isFetching() > 0 || document.querySelector('h1') === null), [client])
  return (
    <DraftsProvider user={viewer?.user.id}>
      <Frame>{children}</Frame>
    </DraftsProvider>
  )
}

/** The header with navigation, and the current page as `<main>`. A new address moves the focus to `<main>`. */
function Frame({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const main = useRef<HTMLElement>(null)
  const [path] = useLocation()
  const goal = useSkipTarget()
  const page = path.split('/').slice(0, 4).join('/')
  const first = useRef(page)
  useFollowRenames()
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
      <StatusLines />
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

/** Above every page: the server does not answer or cannot write, and invitations that wait. */
function StatusLines() {
  const { t } = useTranslation()
  const reached = useServerPoll()
  const trouble = useTrouble()
  const invitations = useOpenInvitations()
  return (
    <div role="status">
      {!reached && (
        <p className={styles.gone}>
          <CloudOff aria-hidden />
          {t('serverGone')}
        </p>
      )}
      {trouble && (
        <p className={styles.gone}>
          <PencilOff aria-hidden />
          {t(trouble)}
        </p>
      )}
      {invitations?.map(({ id, name }) => (
        <p key={id} className={styles.invited}>
          <Mail aria-hidden />
          <a href={`#/invitations/${id}`}>{name === undefined ? t('invitationWaits') : t('invitationTo', { name })}</a>
        </p>
      ))}
    </div>
  )
}

/** Polls until the server answers, then refetches the failed queries. Live events deliver the changes in between. */
function useServerPoll(): boolean {
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
  return reached
}

/** Why the server can be read but not written: its disk is full, or its cluster lacks the database. */
type Trouble = 'readOnly' | 'readOnlyOld' | undefined

/** Asks the server when an answer suggests a trouble, and then until it is over. */
function useTrouble(): Trouble {
  const [trouble, setTrouble] = useState<Trouble>()
  const isLooking = useRef(false)
  const look = useCallback(async () => {
    if (isLooking.current) return
    isLooking.current = true
    setTrouble(await findTrouble())
    isLooking.current = false
  }, [])
  useEffect(() => onServer('troubled', look), [look])
  useEffect(() => {
    if (!trouble) return
    const timer = setInterval(look, AGAIN_MS)
    return () => clearInterval(timer)
  }, [trouble, look])
  return trouble
}

/** Not by `answer`, which would report the failure again. Without an answer, {@link useServerPoll} shows a line. */
async function findTrouble(): Promise<Trouble> {
  try {
    const [health, projects] = await Promise.all([getHealth(), listProjects({})])
    if (projects.headers.has(STALE)) return 'readOnlyOld'
    const statuses: number[] = [health.status, projects.status]
    return statuses.includes(503) ? 'readOnly' : undefined
  } catch {
    return undefined
  }
}
