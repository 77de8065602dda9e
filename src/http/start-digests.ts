/** Starts the daily digests of a server with a mail server. */
import type { FastifyInstance } from 'fastify'
import { type DigestDelays, Digests } from '../inbox/digests.ts'
import type { InboxReader } from '../inbox/inbox-reader.ts'
import type { Mailer } from '../mail/mailer.ts'
import { memberOf } from './inbox.ts'
import { inboxState } from './reading/inbox-state.ts'

/** What digests need beside the app. @param options for tests */
interface StartOptions {
  reader: InboxReader
  baseUrl: string
  options: { now?: () => number; mailDelays?: DigestDelays }
}

export function startDigests(app: FastifyInstance, mailer: Mailer, { reader, baseUrl, options }: StartOptions): void {
  const { now = Date.now, mailDelays } = options
  const { auth, background, log } = app
  const digests = new Digests({
    ...{ inboxes: auth.inboxes, reader, mailer, baseUrl, now, background, log, delays: mailDelays },
    open: organization => inboxState(app, organization),
    memberOf: ({ user, ...owner }) =>
      memberOf(app, { ...user, organization: owner.organization, rights: owner.rights }),
    named: organization => auth.named(organization)?.name,
  })
  digests.start()
}
