/** The entry of the dashboard, and the table of its addresses. Each page loads when it is first opened. */
import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { I18nextProvider, useTranslation } from 'react-i18next'
import { Redirect, Route, Router, Switch } from 'wouter'
import { queries } from './api/queries.ts'
import { spokenHere, startTexts } from './i18n/start.ts'
import { Announcer, BrokenPages, showTheme } from './shell/root.tsx'
import { Gate } from './sign-in/gate.tsx'
import { ButtonLink } from './ui/button.tsx'
import { useHashPath, useHashSearch } from './ui/location.ts'
import { Coming, Empty, Page } from './ui/page.tsx'
import './style/tokens.css'
import './style/base.css'

// The sign-in page does without it.
const SignedIn = lazy(() => import('./shell/signed-in.tsx'))
const Editor = lazy(() => import('./editor/editor-page.tsx'))
const Projects = lazy(() => import('./projects/projects-page.tsx'))
const New = lazy(async () => ({ default: (await import('./projects/projects-page.tsx')).NewAddress }))
const Project = lazy(() => import('./translate/translated-project.tsx'))
const Glossary = lazy(() => import('./glossary/glossary-page.tsx'))
const ProjectHistory = lazy(() => import('./history/history-page.tsx'))
const ProjectReleases = lazy(() => import('./history/releases-page.tsx'))
const ProjectCompare = lazy(() => import('./history/compare-page.tsx'))
const ProjectImport = lazy(() => import('./project/import-page.tsx'))
const Review = lazy(() => import('./review/review-page.tsx'))
const Work = lazy(() => import('./my-work/work-page.tsx'))
const ProjectSettings = lazy(() => import('./project/settings-page.tsx'))
const Account = lazy(() => import('./account/account-page.tsx'))
const Audit = lazy(() => import('./team/audit-page.tsx'))
const Invitations = lazy(() => import('./team/invitations-page.tsx'))
const Members = lazy(() => import('./team/members-page.tsx'))
const Organization = lazy(() => import('./team/organization-page.tsx'))
const Tokens = lazy(() => import('./team/tokens-page.tsx'))
const Start = lazy(() => import('./start/start-page.tsx'))

showTheme()
const texts = await startTexts()
// A choice in one window applies to all windows of the browser.
addEventListener('storage', () => {
  showTheme()
  if (spokenHere() !== texts.language) void texts.changeLanguage(spokenHere())
})

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <I18nextProvider i18n={texts}>
      <QueryClientProvider client={queries}>
        <Router hook={useHashPath} searchHook={useHashSearch} hrefs={useHashPath.hrefs}>
          <BrokenPages>
            <Suspense>
              <App />
            </Suspense>
          </BrokenPages>
        </Router>
        <Announcer />
      </QueryClientProvider>
    </I18nextProvider>
  </StrictMode>,
)

/** The pages for members of an organization, behind the {@link Gate}. */
function App() {
  return (
    <Gate>
      <SignedIn>
        <BrokenPages>
          <Suspense fallback={<Coming />}>
            <Switch>
              <Route path="/">
                <Redirect to="/projects" replace />
              </Route>
              <Route path="/start" component={Start} />
              <Route path="/projects">{() => <Projects />}</Route>
              <Route path="/projects/:slug">{({ slug }) => (slug === 'new' ? <New /> : <Project />)}</Route>
              <Route path="/projects/:slug/glossary" component={Glossary} />
              <Route path="/projects/:slug/history" component={ProjectHistory} />
              <Route path="/projects/:slug/releases" component={ProjectReleases} />
              <Route path="/projects/:slug/compare" component={ProjectCompare} />
              <Route path="/projects/:slug/import" component={ProjectImport} />
              <Route path="/projects/:slug/settings" component={ProjectSettings} />
              <Route path="/projects/:slug/review/:language" component={Review} />
              <Route path="/projects/:slug/:language/:namespace?" component={Editor} />
              <Route path="/work" component={Work} />
              <Route path="/team" component={Members} />
              <Route path="/team/invitations" component={Invitations} />
              <Route path="/team/tokens" component={Tokens} />
              <Route path="/team/glossary" component={Glossary} />
              <Route path="/team/audit" component={Audit} />
              <Route path="/team/organization" component={Organization} />
              <Route path="/account" component={Account} />
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </BrokenPages>
      </SignedIn>
    </Gate>
  )
}

function NotFound() {
  const { t } = useTranslation()
  return (
    <Page title={t('nothingHere')}>
      <Empty action={<ButtonLink to="/projects">{t('toProjects')}</ButtonLink>}>{t('nothingHereWhy')}</Empty>
    </Page>
  )
}
