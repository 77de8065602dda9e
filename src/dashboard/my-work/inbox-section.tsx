/** The unread items of the inbox. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { readInbox } from '../api/late-client.ts'
import { Button } from '../ui/button.tsx'
import { Wrong } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { InboxList } from './inbox-list.tsx'
import { INBOX, useInbox } from './inbox-reads.ts'

/** The newest first; what is marked as read leaves the list. */
export function InboxSection() {
  const { t } = useTranslation('work')
  const client = useQueryClient()
  const inbox = useInbox()
  const { pending, problem, send } = useSubmission()
  const newest = inbox.data?.pages.flatMap(({ items }) => items)[0]
  const readAll = () =>
    send(async () => {
      // Items that came meanwhile stay unread.
      await answer(readInbox({ readUntil: { until: newest!.id } }))
      await client.invalidateQueries({ queryKey: INBOX })
      return t('allRead')
    })
  return (
    <Section
      title={t('inbox')}
      actions={
        newest && (
          <Button small isPending={pending} onPress={readAll}>
            {t('readAll')}
          </Button>
        )
      }
    >
      <Wrong problem={problem} />
      <InboxList read={inbox} none={t('inboxEmpty')} />
    </Section>
  )
}
