/** `parlance user create`: an account made by the operator, and perhaps its membership. */
import type { Role } from '../auth/access.ts'
import { Accounts } from '../auth/accounts.ts'
import { Failure } from '../bundle/errors.ts'
import type { Call } from './call.ts'
import { findOrganization } from './data-folder.ts'
import { newPassword } from './password.ts'
import type { Outcome } from './report.ts'

interface Options {
  email: string
  name: string
  passwordStdin?: boolean
  organization?: string
  role?: Role
}

/** See the top of the file. */
export async function run({ config, options, terminal }: Call<Options>): Promise<Outcome> {
  const { email, name, organization, role = 'member' } = options
  if (options.role && organization === undefined) {
    throw new Failure('invalid', '--role says what the user may do in an organization: give --organization too.')
  }
  const joined = organization === undefined ? undefined : findOrganization(config.dataDir, organization)
  const { password, generated } = await newPassword(terminal, options)
  const accounts = await Accounts.open(config.dataDir)
  try {
    const membership = joined && { organization: joined.id, role }
    const user = await accounts.create({ email, name, password, ...(membership && { membership }) })
    const place = joined && { id: joined.id, slug: joined.slug, role }
    return {
      text: [
        `Made ${user.name} <${user.email}>${place ? `, ${place.role} of ${place.slug}` : ''}.`,
        ...(generated ? [`Password, shown this once: ${password}`] : []),
      ].join('\n'),
      json: { user, ...(place && { organization: place }), ...(generated && { password }) },
    }
  } finally {
    accounts.close()
  }
}
