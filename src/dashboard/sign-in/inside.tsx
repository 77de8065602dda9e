/** The pages for signed-in readers. */
import { lazy, type ReactNode, Suspense, useRef } from 'react'
import { Route, Switch } from 'wouter'
import { ApiProblem } from '../api/answer.ts'
import { isMember, MemberContext, useViewer, type Viewer } from '../api/session.ts'

const NewOrganization = lazy(() => import('./new-organization-page.tsx'))
const NoOrganization = lazy(() => import('./no-organization.tsx'))
const AgainDialog = lazy(() => import('./again-dialog.tsx'))

/**
 * In their place stands the way to an organization for who is in none; over them, signing in again when the session
 * ends.
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
      {/* What stands below it, and where one was in it, stays while it is loaded. */}
      <Suspense>{ended && <AgainDialog viewer={viewer} />}</Suspense>
    </>
  )
}
