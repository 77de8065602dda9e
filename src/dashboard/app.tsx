/** The table of addresses, and who may see what. Pages are loaded when they are first looked at. */
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Redirect, Route, Switch } from 'wouter'
import { useViewer } from './api/session.ts'
import { DraftsProvider } from './drafts/use-drafts.tsx'
import { useLiveUpdates } from './live/live.ts'
import { Frame } from './shell/frame.tsx'
import { ButtonLink } from './ui/button.tsx'
import { Page } from './ui/page.tsx'
import { Empty, Loaded } from './ui/state.tsx'

const Editor = lazy(() => import('./editor/editor-page.tsx'))
const Projects = lazy(() => import('./projects/projects-page.tsx'))
const Project = lazy(() => import('./project/project-page.tsx'))
const ProjectHistory = lazy(() => import('./history/history-page.tsx'))
const ProjectReleases = lazy(() => import('./history/releases-page.tsx'))
const ProjectCompare = lazy(() => import('./history/compare-page.tsx'))
const ProjectImport = lazy(() => import('./project/import-page.tsx'))
const ProjectSettings = lazy(() => import('./project/settings-page.tsx'))

/** For nobody: signing in. For a user without an organization: making one. Else the pages. */
export function App() {
  const viewer = useViewer()
  useLiveUpdates(viewer.data?.who?.organization.id)
  return (
    <Loaded read={viewer}>
      {() => (
        <DraftsProvider user={viewer.data?.user.id}>
          <Suspense>
            <Frame>
              <Suspense>
                <Switch>
                  <Route path="/">
                    <Redirect to="/projects" replace />
                  </Route>
                  <Route path="/projects" component={Projects} />
                  <Route path="/projects/:slug" component={Project} />
                  <Route path="/projects/:slug/history" component={ProjectHistory} />
                  <Route path="/projects/:slug/releases" component={ProjectReleases} />
                  <Route path="/projects/:slug/compare" component={ProjectCompare} />
                  <Route path="/projects/:slug/import" component={ProjectImport} />
                  <Route path="/projects/:slug/settings" component={ProjectSettings} />
                  <Route path="/projects/:slug/:language/:namespace?" component={Editor} />
                  <Route component={NotFound} />
                </Switch>
              </Suspense>
            </Frame>
          </Suspense>
        </DraftsProvider>
      )}
    </Loaded>
  )
}

function NotFound() {
  const { t } = useTranslation()
  return (
    <Page title={t('nothingHere')}>
      <Empty title={t('nothingHere')} action={<ButtonLink to="/projects">{t('toProjects')}</ButtonLink>}>
        {t('nothingHereWhy')}
      </Empty>
    </Page>
  )
}
