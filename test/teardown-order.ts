/**
 * Lets each test's teardowns run before its folder goes: tap does them in the other order when the first is registered after
 * `t.testdir()`, and a store that is still being closed then writes into a folder that is being removed.
 */
import t from 'tap'

t.teardown(() => {})
t.beforeEach(t => t.teardown(() => {}))
