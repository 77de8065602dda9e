/** How the reader hears of new items elsewhere: the feed, and a mail a day. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { renewInboxFeed, setInboxSettings } from '../api/late-client.ts'
import { serverAddress } from '../api/server-address.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Wrong } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { Loaded } from '../ui/state.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { DIGEST, FEED, useDigest, useFeed } from './inbox-reads.ts'
import styles from './work.module.css'

/** The switch of the mail is there where the server sends mail. */
export function FeedSection() {
  const { t } = useTranslation('work')
  const client = useQueryClient()
  const feed = useFeed()
  const digest = useDigest()
  const { pending, problem, send } = useSubmission()
  const renew = async () => client.setQueryData(FEED, await answer(renewInboxFeed()))
  const turn = (digest: boolean) =>
    send(async () => {
      client.setQueryData(DIGEST, await answer(setInboxSettings({ newInboxSettings: { digest } })))
      return t(digest ? 'digestOn' : 'digestOff')
    })
  return (
    <Section title={t('elsewhere')}>
      <Wrong problem={problem} />
      <Loaded read={feed} lines={1}>
        {({ url }) =>
          url === null ? (
            <div className={styles.links}>
              <span className="quiet">{t('feedWhy')}</span>
              <Button
                small
                isPending={pending}
                onPress={() =>
                  send(async () => {
                    await renew()
                    return t('feedCreated')
                  })
                }
              >
                {t('createFeed')}
              </Button>
            </div>
          ) : (
            <>
              <Snippet label={t('feedAddress')} code={url.startsWith('/') ? serverAddress() + url : url} />
              <div className={styles.links}>
                <span className="quiet">{t('feedSecret')}</span>
                <ConfirmButton
                  small
                  words={t('renewFeed')}
                  onConfirm={async () => {
                    await renew()
                    announce(t('feedCreated'))
                  }}
                >
                  <p>{t('renewFeedWhy')}</p>
                </ConfirmButton>
              </div>
            </>
          )
        }
      </Loaded>
      {digest.data?.mail && (
        <label className={styles.links}>
          <input
            type="checkbox"
            checked={digest.data.digest}
            disabled={pending}
            onChange={event => void turn(event.currentTarget.checked)}
          />
          {t('digest')}
        </label>
      )}
    </Section>
  )
}
