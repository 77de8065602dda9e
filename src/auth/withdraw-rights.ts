/** Removes a deleted project from the rights of members, invitations and tokens, before another one gets its slug. */
import type { RunSql } from './dialect.ts'
import { parseRights, renderRights, withoutProject } from './rights.ts'

interface RightsRow {
  id: string
  rights: string
}

/** Reads and changes rights in one table. `replace` returns false where they changed meanwhile. */
interface RightsTable {
  find: () => Promise<{ rows: RightsRow[] }>
  replace: (row: RightsRow, rights: string) => Promise<{ changes: number }>
}

/** Rights in no other project become rights to read. */
export async function withdrawRights(run: RunSql, organization: string, slug: string): Promise<void> {
  for (const table of tablesOf(run, organization, `%"${slug}"%`)) {
    for (let isDone = false; !isDone; ) {
      isDone = true
      for (const row of (await table.find()).rows) {
        const left = withoutProject(parseRights(row.rights)!, slug)
        if (left === undefined) continue
        const { changes } = await table.replace(row, renderRights(left))
        if (changes !== 1) isDone = false
      }
    }
  }
}

/** @param pattern of the rights that may name the project */
function tablesOf(run: RunSql, organization: string, pattern: string): RightsTable[] {
  return [
    {
      find: () =>
        run`select id, rights from member where "organizationId" = ${organization} and rights like ${pattern}`,
      replace: ({ id, rights }, left) =>
        run`update member set rights = ${left} where id = ${id} and rights = ${rights}`,
    },
    {
      find: () =>
        run`select id, rights from invitation where "organizationId" = ${organization} and rights like ${pattern}`,
      replace: ({ id, rights }, left) =>
        run`update invitation set rights = ${left} where id = ${id} and rights = ${rights}`,
    },
    {
      find: () =>
        run`select id, rights from api_token where "organizationId" = ${organization} and rights like ${pattern}`,
      replace: ({ id, rights }, left) =>
        run`update api_token set rights = ${left} where id = ${id} and rights = ${rights}`,
    },
  ]
}
