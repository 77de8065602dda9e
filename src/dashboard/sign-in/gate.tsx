/** Admits members of an organization. Other readers see the pages to sign in and to create an account. */
import { useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter'
import { ApiProblem } from '../api/answer.ts'
import type { SignIn } from '../api/client.ts'
import { onServer } from '../api/connection.ts'
import { forgetQueries, isMember, MemberContext, useViewer, VIEWER, type Viewer } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { Notice } from '../ui/notice.tsx'
import { Failed, Loaded } from '../ui/page.tsx'
import { Entry, Steps } from './entry.tsx'
import { OrProvider, SignInForm, SignUpForm, useSignInMethods } from './forms.tsx'
import { nextOf, popNext, withNext } from './next.ts'
import { useOpenInvitations } from './open-invitations.ts'

const Invitation = lazy(() => import('./invitation-page.tsx'))
const NewOrganization = lazy(() => import('./organization-pages.tsx'))
const NoOrganization = lazy(async () => ({ default: (await import('./organization-pages.tsx')).NoOrganizationPage }))
const AgainDialog = lazy(() => import('./again-dialog.tsx'))

const ARRIVAL = readArrival()

/** Reads what the OpenID provider's redirect added to the address, and removes it, so that a reload starts clean. */
function readArrival() {
  const query = new URLSearchParams(location.search)
  // The provider has signed the reader in, and the second factor is still to be given.
  const needsCode = query.has('twoFactorRedirect')
  const error = query.get('error') ?? ''
  if (needsCode || error) history.replaceState(null, '', `${location.pathname}${location.hash || '#/sign-in'}`)
  return { needsCode, error }
}

/** @param children the pages; they stay when the session ends under them */
export function Gate({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useViewer()
  useRefusals()
  // Empty until the first answer about the session.
  if (data === undefined) return error && <Unreached error={error} again={refetch} />
  return (
    <Switch>
      <Route path="/invitations/:id">{({ id }) => <Invitation id={id} />}</Route>
      <Route path="/sign-in">{data ? <Onward viewer={data} /> : <SignInPage />}</Route>
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

/** After signing in: where one wanted to go. Without an organization, invited readers join one, others create one. */
function Onward({ viewer }: { viewer: Viewer }) {
  const search = useSearch()
  const [next] = useState(() => popNext() ?? nextOf(search))
  const waiting = useOpenInvitations()
  if (isMember(viewer) || next !== '/') return <Redirect to={next} replace />
  if (waiting === undefined) return null
  return <Redirect to={waiting[0] ? `/invitations/${waiting[0].id}` : '/organizations/new'} replace />
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

/** Readers without an organization see how to get one. After the end of a session, the sign-in opens as a dialog. */
function Inside({ viewer, children }: { viewer: Viewer; children: ReactNode }) {
  const { error } = useViewer()
  const lastSeen = useRef(viewer.who?.organization)
  if (viewer.who) lastSeen.current = viewer.who.organization
  const ended = error instanceof ApiProblem && error.status === 401
  const member = isMember(viewer) ? viewer : undefined
  const pages = <MemberContext value={member}>{children}</MemberContext>
  return (
    <>
      <Switch>
        <Route path="/organizations/new" component={NewOrganization} />
        <Route path="/account">{pages}</Route>
        <Route>{member ? pages : <NoOrganization viewer={viewer} left={lastSeen.current} />}</Route>
      </Switch>
      {/* Everything below, with its scroll position, stays while the dialog loads. */}
      <Suspense>{ended && <AgainDialog viewer={viewer} />}</Suspense>
    </>
  )
}

function useWayIn() {
  const { t } = useTranslation('signIn')
  const client = useQueryClient()
  const onDone = async () => {
    await forgetQueries(client)
    announce(t('signedIn'))
  }
  return { t, ways: useSignInMethods(), search: useSearch(), onDone }
}

/** How new users join a server without open sign-up. */
const joinWords = (signUp: SignIn['signUp'], t: TFunction<'signIn'>) =>
  signUp === 'invite' ? t('byInvitation') : t('byOperator')

function SignInPage() {
  const { t, ways, search, onDone } = useWayIn()
  const { needsCode, error } = ARRIVAL
  const next = nextOf(search)
  if (ways.data?.firstUser) return <Redirect to="/sign-up" replace />
  return (
    <Entry
      title={needsCode ? t('secondStep') : t('signIn')}
      below={
        ways.data && (
          <>
            {ways.data.signUp === 'open' ? (
              <p>
                {t('noAccount')} <a href={`#${withNext('/sign-up', next)}`}>{t('makeAccount')}</a>
              </p>
            ) : (
              <p>{joinWords(ways.data.signUp, t)}</p>
            )}
            <p>{t('forgotten')}</p>
          </>
        )
      }
    >
      <Loaded read={ways} lines={3}>
        {({ signUp }) => (
          <div className="stack4">
            {error !== '' && <Notice kind="bad">{providerProblem(error, signUp, t)}</Notice>}
            <SignInForm needsCode={needsCode} onDone={onDone} />
            {!needsCode && <OrProvider next={next} />}
          </div>
        )}
      </Loaded>
    </Entry>
  )
}

/** The provider's error codes that people can do something about. */
function providerProblem(code: string, signUp: SignIn['signUp'], t: TFunction<'signIn'>): string {
  if (code === 'account_not_linked') return t('notLinked')
  if (code === 'access_denied') return t('providerDenied')
  // The settings refuse new users, so another attempt would not help.
  if (code === 'unable_to_create_user' && signUp !== 'open') return joinWords(signUp, t)
  return t('providerFailed', { code })
}

/** By the server's setting SIGN_UP; `?invitation=` is the id in an invitation's link. */
function SignUpPage() {
  const { t, ways, search, onDone } = useWayIn()
  const next = nextOf(search)
  const invitation = new URLSearchParams(search).get('invitation') ?? ''
  const first = ways.data?.firstUser === true
  return (
    <Entry
      title={first ? t('firstAccount') : t('makeAccount')}
      lead={first ? t('firstAccountWhy') : undefined}
      above={first && <Steps at="account" />}
      below={
        !first && (
          <p>
            {t('haveAccount')} <a href={`#${withNext('/sign-in', next)}`}>{t('signIn')}</a>
          </p>
        )
      }
    >
      <Loaded read={ways} lines={3}>
        {({ signUp }) => (
          <div className="stack4">
            {signUp === 'open' || first || invitation !== '' ? (
              <SignUpForm invitation={invitation} onDone={onDone} />
            ) : (
              <Notice>{joinWords(signUp, t)}</Notice>
            )}
            {!first && <OrProvider next={next} />}
          </div>
        )}
      </Loaded>
    </Entry>
  )
}
