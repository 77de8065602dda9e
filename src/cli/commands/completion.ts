/** `parlance completion <shell>`: the script that makes a shell complete the words of this command. */
import tab from '@bomb.sh/tab'
import type { Run } from '../context.ts'
import { usage } from '../problem.ts'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell']

/** Prints the script; it is no JSON, with `--json` neither. */
export const run: Run = async (_context, _options, [shell = '']) => {
  if (!SHELLS.includes(shell))
    throw usage(`There is a script for ${SHELLS.join(', ')}, not for ${JSON.stringify(shell)}.`)
  tab.setup('parlance', 'parlance', shell)
}
