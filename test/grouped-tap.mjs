/** What `import t from 'tap'` gives a file that shares its process (`test/groups.mjs`): a test of its own. */
import { currentTest } from './groups.mjs'

export * from 'tap'
export default currentTest()
