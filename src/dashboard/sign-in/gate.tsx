/** Admits members of an organization. Other readers see the sign-in. */
import { useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter'
import { ApiProblem } from '../api/answer.ts'
import { onServer } from '../api/connection.ts'
import { isMember, MemberContext, useViewer, VIEWER, type Viewer } from '../api/session.ts'
import { Failed } from '../ui/state.tsx'
import { popNext, readArrival } from './arrival.ts'
import { Entry } from './entry.tsx'
import { nextOf, withNext } from './next.ts'
import { useListedInvitations } from './open-invitations.ts'
import { SignInPage } from './sign-in-page.tsx'
import { SignUpPage } from './sign-up-page.tsx'

const Invitation = lazy(() => import('./invitation-page.tsx'))

const ARRIVAL = readArrival()

/** @param children the pages; they stay when the session ends under them */
export function Gate({ children }: { children: ReactNode }) {
  const viewer = useViewer()
  useRefusals()
  const { data, error } = viewer
  // Empty until the first answer about the session.
  if (data === undefined) return error && <Unreached error={error} again={viewer.refetch} />
  return (
    <Switch>
      <Route path="/invitations/:id">{({ id }) => <Invitation id={id} />}</Route>
      <Route path="/sign-in">{data ? <Onward viewer={data} /> : <SignInPage arrival={ARRIVAL} />}</Route>
      <Route path="/sign-up">{data ? <Onward viewer={data} /> : <SignUpPage />}</Route>
      <Route>{data ? <Inside viewer={data}>{children}</Inside> : <ToSignIn />}</Route>
    </Switch>
  )
}

function Unreached({ error, again }: { error: Error; again: () => unknown }) {
  const { t } = useTranslation('signIn')
  return (
    <Entry title={t('unreached')}>
      <Failed error={error} again={again} />
    </Entry>
  )
}

function ToSignIn() {
  const [path] = useLocation()
  const search = useSearch()
  return <Redirect to={withNext('/sign-in', search === '' ? path : `${path}?${search}`)} replace />
}

/** After signing in: where one wanted to go. */
function Onward({ viewer }: { viewer: Viewer }) {
  const search = useSearch()
  const [next] = useState(() => popNext() ?? nextOf(search))
  if (viewer.who === null && next === '/') return <ToFirstOrganization viewer={viewer} />
  return <Redirect to={next} replace />
}

/** An invited reader joins. Only a reader without an invitation creates an organization. */
function ToFirstOrganization({ viewer }: { viewer: Viewer }) {
  const waiting = useListedInvitations(viewer)
  if (waiting === undefined) return null
  const [invitation] = waiting
  return <Redirect to={invitation ? `/invitations/${invitation.id}` : '/organizations/new'} replace />
}

/** An answer of 401 or 403 refetches the session and the role. */
function useRefusals() {
  const client = useQueryClient()
  useEffect(
    () =>
      onServer('refused', () => {
        const { fetchStatus, data } = client.getQueryState<Viewer | null>(VIEWER) ?? {}
        // Its own reads are refused too where there is no organization.
        if (fetchStatus === 'idle' && data?.who) void client.invalidateQueries({ queryKey: VIEWER })
      }),
    [client],
  )
}

const NewOrganization = lazy(() => import('./new-organization-page.tsx'))
const NoOrganization = lazy(() => import('./no-organization.tsx'))
const AgainDialog = lazy(() => import('./again-dialog.tsx'))

/**
 * Readers without an organization see how to get one. After the end of a session, the sign-in opens as a dialog.
 */
function Inside({ viewer, children }: { viewer: Viewer; children: ReactNode }) {
  const { error } = useViewer()
  const lastSeen = useRef(viewer.who?.organization)
  if (viewer.who) lastSeen.current = viewer.who.organization
  const ended = error instanceof ApiProblem && error.status === 401
  return (
    <>
      <Switch>
        <Route path="/organizations/new" component={NewOrganization} />
        <Route path="/account">
          <MemberContext value={isMember(viewer) ? viewer : undefined}>{children}</MemberContext>
        </Route>
        <Route>
          {isMember(viewer) ? (
            <MemberContext value={viewer}>{children}</MemberContext>
          ) : (
            <NoOrganization viewer={viewer} {...(lastSeen.current && { left: lastSeen.current })} />
          )}
        </Route>
      </Switch>
      {/* Everything below, with its scroll position, stays while the dialog loads. */}
      <Suspense>{ended && <AgainDialog viewer={viewer} />}</Suspense>
    </>
  )
}
