/**
 * Another folder of a test, within `t.testdir()`, for a test that needs several. It stays until the test ends.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'

/** The tests that have called `t.testdir()`: `test-folder.ts` adds them. */
export const testsWithFolder = new WeakSet<Test>()

/** Files by name: texts and bytes, or folders of them. */
interface FolderContent {
  [name: string]: string | Buffer | FolderContent
}

export function newFolder(t: Test, content: FolderContent = {}): string {
  if (!testsWithFolder.has(t)) t.testdir()
  testsWithFolder.add(t)
  const folder = mkdtempSync(join(t.testdirName, 'folder-'))
  fill(folder, content)
  return folder
}

function fill(folder: string, content: FolderContent): void {
  for (const [name, value] of Object.entries(content)) {
    const path = join(folder, name)
    if (typeof value === 'string' || Buffer.isBuffer(value)) {
      writeFileSync(path, value)
    } else {
      mkdirSync(path)
      fill(path, value)
    }
  }
}
