/** What counts as different from HEAD in the work tree while a server runs. */
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { withObjects } from '../../../src/store/read-only.ts'
import { readHead, StateSnapshot } from '../../../src/store/snapshot.ts'
import { type Finding, FindingReport } from '../../../src/store/verify/finding.ts'
import { verifyWorkTree } from '../../../src/store/verify/work-tree.ts'
import { noGit } from '../../http/git-client.ts'
import { git } from '../git-cli.ts'

t.test('a file that is missing is reported, unless the server writes it at each look', { skip: noGit }, async t => {
  const workTree = t.testdir()
  const gitDir = join(workTree, '.git')
  git(workTree, 'init', '-q')
  const path = 'web/locales/en/common.json'
  fs.mkdirSync(join(workTree, 'web/locales/en'), { recursive: true })
  const revisions = [1, 2].map(n => {
    fs.writeFileSync(join(workTree, path), `{\n  "a": "${n}"\n}\n`)
    git(workTree, 'add', path)
    git(workTree, '-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '-qm', `${n}`)
    return git(workTree, 'rev-parse', 'HEAD').trim()
  })
  fs.rmSync(join(workTree, path))
  const findingsOf = (revisionAt: (look: number) => string) =>
    withObjects(gitDir, async objects => {
      const findings: Finding[] = []
      let looks = 0
      const report = new FindingReport(finding => findings.push(finding))
      const check = {
        workTree,
        gitDir,
        objects,
        running: true,
        signal: new AbortController().signal,
        progress: () => {},
        report,
      }
      const snapshot = async () => new StateSnapshot(objects, readHead(objects, revisionAt(looks++)))
      await verifyWorkTree(check, snapshot, () => false)
      return findings
    })
  t.match(await findingsOf(() => revisions[1]!), [{ path, severity: 'warning', what: /not in the work tree/ }])
  t.strictSame(await findingsOf(look => revisions[look % 2]!), [])
})
