/** The entry of the dashboard. */
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { I18nextProvider } from 'react-i18next'
import { Router } from 'wouter'
import { queries } from './api/queries.ts'
import { App } from './app.tsx'
import { spokenHere, startTexts } from './i18n/start.ts'
import { Announcer, BrokenPages, showTheme } from './shell/root.tsx'
import { useHashPath, useHashSearch } from './ui/location.ts'
import './style/tokens.css'
import './style/base.css'

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
