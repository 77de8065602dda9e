/** The pages for signed-in readers. */
import { lazy, type ReactNode, Suspense, useRef } from 'react'
import { Route, Switch } from 'wouter'
import { ApiProblem } from '../api/answer.ts'
import { isMember, MemberContext, useViewer, type Viewer } from '../api/session.ts'

const NewOrganization = lazy(() => import('./new-organization-page.tsx'))
const NoOrganization = lazy(() => import('./no-organization.tsx'))
const AgainDialog = lazy(() => import('./again-dialog.tsx'))

/**
 * Readers without an organization see how to get one. After the end of a session, the sign-in opens as a dialog.
 */
export function Inside({ viewer, children }: { viewer: Viewer; children: ReactNode }) {
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
