/**
 * What a test may expect of its folder, `t.testdir()`.
 *
 * - Teardowns run before the folder is removed. tap reverses the order when the first is registered after
 *   `t.testdir()`. Then a closing store would write into a folder that is being removed.
 * - A test creates its folder once. tap's second call would empty it below a running server, without a word.
 */
import t, { type Test } from 'tap'
import { testsWithFolder } from './new-folder.ts'

function prepare(t: Test): void {
  t.teardown(() => {})
  const { testdir } = t
  t.testdir = content => {
    if (testsWithFolder.has(t)) {
      throw new Error('t.testdir() was called before and would empty its folder: use newFolder(t) or t.testdirName')
    }
    testsWithFolder.add(t)
    return testdir.call(t, content)
  }
}

prepare(t)
t.beforeEach(prepare)
