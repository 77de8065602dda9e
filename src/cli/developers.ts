/** The program of the developers' package. */
import { COMMANDS, GROUPS } from './commands.ts'
import { GLOBALS, type Program } from './program.ts'

/** What both programs say of themselves. */
export const DESCRIPTION = 'Keeps the i18next translations of an app in step with a Parlance server.'

export const DEVELOPERS: Omit<Program, 'version' | 'out'> = {
  description: DESCRIPTION,
  rows: COMMANDS,
  groups: GROUPS,
  common: () => GLOBALS,
}
