/** The organization's API tokens. */
import { Bot, KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayManage, useMember } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import { MintDialog } from './mint-dialog.tsx'
import { useTokens } from './queries.ts'
import { TeamPage } from './team-page.tsx'
import { TokenRow } from './token-row.tsx'

/** Members see the list; owners and admins mint and revoke. */
export default function TokensPage() {
  const { t } = useTranslation('team')
  const { who } = useMember()
  const tokens = useTokens()
  const [minting, setMinting] = useState<'app' | 'agent'>()
  const action = mayManage(who) && (
    <>
      <Button icon={<Bot aria-hidden />} onPress={() => setMinting('agent')}>
        {t('forAgent')}
      </Button>
      <Button look="primary" icon={<Plus aria-hidden />} onPress={() => setMinting('app')}>
        {t('newToken')}
      </Button>
    </>
  )
  return (
    <TeamPage title={t('tokens')} lead={t('tokensWhy')} actions={tokens.data?.length !== 0 && action}>
      <Loaded read={tokens}>
        {all =>
          all.length === 0 ? (
            <Empty icon={<KeyRound aria-hidden />} title={t('noTokens')} action={action}>
              {t('noTokensWhy')}
            </Empty>
          ) : (
            <ul className="rows">
              {all.map(token => (
                <TokenRow key={token.id} token={token} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {minting && <MintDialog isForAgent={minting === 'agent'} onClose={() => setMinting(undefined)} />}
    </TeamPage>
  )
}
