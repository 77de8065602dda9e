/** The program of the developers' package. */
import type { Program } from './command-table.ts'
import { COMMANDS, GROUPS } from './commands.ts'
import { GLOBALS } from './program.ts'

/** The description of both programs. */
export const DESCRIPTION = 'Synchronizes the i18next translations of an app with a Parlance server.'

/** The answer to `parlance serve` in this package. */
const SERVER =
  'This CLI is for developers. The server is another package: in a clone of Parlance run `npm start`, ' +
  'or build the package with `npm run pack` for `parlance serve`.'

export const DEVELOPERS: Omit<Program, 'version' | 'out'> = {
  description: DESCRIPTION,
  rows: COMMANDS,
  groups: GROUPS,
  common: () => GLOBALS,
  elsewhere: { serve: SERVER, server: SERVER },
}
