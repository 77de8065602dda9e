/** Minting a token: what it may and for how long; then the token, this once. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MintedToken } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { focusNow } from '../ui/focus.ts'
import { Notice } from '../ui/notice.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { MintForm } from './mint-form.tsx'
import { TokenSnippets } from './token-snippets.tsx'

/** Once the token shows it is closed by its buttons alone. */
export function MintDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('team')
  const [minted, setMinted] = useState<MintedToken>()
  return (
    <Dialog
      title={minted ? minted.name : t('newToken')}
      isOpen
      onClose={onClose}
      wide
      alert={minted !== undefined}
      once={minted !== undefined}
    >
      {minted ? (
        <>
          {/* Not the button: Enter pressed twice would close it unread. */}
          <div ref={focusNow} tabIndex={-1}>
            <Notice kind="warn">{t('shownOnce')}</Notice>
          </div>
          <Snippet label={t('token')} code={minted.key} />
          <TokenSnippets token={minted} />
          <Actions>
            <Button look="primary" onPress={onClose}>
              {t('kept')}
            </Button>
          </Actions>
        </>
      ) : (
        <MintForm onMinted={setMinted} onCancel={onClose} />
      )}
    </Dialog>
  )
}
