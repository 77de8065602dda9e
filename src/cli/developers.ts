/** The program of the developers' package. */
import { COMMANDS, GROUPS } from './commands.ts'
import { GLOBALS } from './program.ts'
import type { Program } from './table.ts'

/** What both programs say of themselves. */
export const DESCRIPTION = 'Keeps the i18next translations of an app in step with a Parlance server.'

/** What those are told who look for the server here. */
const SERVER =
  'This is the command of developers. The server is a package of its own: in a clone of Parlance `npm start` serves, and ' +
  '`npm run pack` makes a package whose `parlance serve` does.'

export const DEVELOPERS: Omit<Program, 'version' | 'out'> = {
  description: DESCRIPTION,
  rows: COMMANDS,
  groups: GROUPS,
  common: () => GLOBALS,
  elsewhere: { serve: SERVER, server: SERVER },
}
