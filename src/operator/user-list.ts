/** `parlance user list`. */
import { Directory } from '../auth/directory.ts'
import type { Call } from './call.ts'
import type { Outcome } from './report.ts'
import { inColumns } from './table.ts'

/** See the top of the file. */
export async function run({ config }: Call): Promise<Outcome> {
  const directory = Directory.open(config.dataDir)
  try {
    const users = directory.users()
    const rows = users.map(({ email, name, createdAt, organizations }) => [
      email,
      name,
      createdAt.slice(0, 10),
      organizations.map(({ slug, role }) => `${slug} (${role})`).join(', '),
    ])
    const text =
      rows.length > 0 ? inColumns(['EMAIL', 'NAME', 'SINCE', 'ORGANIZATIONS'], rows) : 'There are no accounts.'
    return { text, json: { users } }
  } finally {
    directory.close()
  }
}
