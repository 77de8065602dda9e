/** What stands in the place of a page that broke, or a part of which could not be loaded. */
import { Component, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/state.tsx'

interface Props {
  path: string
  children: ReactNode
}

class Boundary extends Component<Props, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError = () => ({ isBroken: true })

  override componentDidUpdate({ path }: Props): void {
    // Another page may be whole.
    if (this.state.isBroken && path !== this.props.path) this.setState({ isBroken: false })
  }

  override render(): ReactNode {
    return this.state.isBroken ? <Broken /> : this.props.children
  }
}

/** A server that was upgraded meanwhile no longer has the parts of the page that is open; those of a new one it has. */
function Broken() {
  const { t } = useTranslation()
  return (
    <Page title={t('notShown')}>
      <Empty title={t('notShown')} action={<Button onPress={() => location.reload()}>{t('tryAgain')}</Button>}>
        {t('unknownProblem')}
      </Empty>
    </Page>
  )
}

/** Around pages: the frame stays, and with it the ways to the others. */
export function BrokenPages({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  return <Boundary path={path}>{children}</Boundary>
}
