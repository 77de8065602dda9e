/** The mail with an invitation: the link that the dashboard shows to the inviter. */
import { type Mail, oneLine } from './mailer.ts'

/** An invitation that was just created. */
export interface NewInvitation {
  id: string
  email: string
  /** The name of the organization. */
  organization: string
  /** The name of the inviter. */
  by: string
}

/** Characters of a name in a mail. */
const MAX_NAME = 100

/** @param baseUrl the address of the server, without a trailing slash */
export function invitationMail({ id, email, organization, by }: NewInvitation, baseUrl: string): Mail {
  const query = new URLSearchParams({ for: email, to: organization })
  const link = `${baseUrl}/#/invitations/${encodeURIComponent(id)}?${query}`
  const [inviter, name] = [shortName(by), shortName(organization)]
  return {
    to: email,
    subject: `${inviter} invites you to ${name}`,
    text: [
      `${inviter} invites you to translate with ${name} on Parlance.`,
      `Open this link to accept, within seven days:\n${link}`,
      'If you do not know the sender, ignore this mail.',
    ].join('\n\n'),
  }
}

/** A name as mails have it: one line without what mail programs turn into a link. */
export const shortName = (name: string): string =>
  oneLine(name)
    .replaceAll(/:\/\/|www\./gi, ' ')
    .slice(0, MAX_NAME)
    .toWellFormed()
