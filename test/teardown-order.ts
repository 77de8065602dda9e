/**
 * Runs the teardowns of a test before its folder is removed. tap reverses the order when the first is registered after
 * `t.testdir()`. Then a closing store would write into a folder that is being removed.
 */
import t from 'tap'

t.teardown(() => {})
t.beforeEach(t => t.teardown(() => {}))
