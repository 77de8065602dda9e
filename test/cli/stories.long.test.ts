/** The other pages of docs/cli.md, and docs/ci.md: see `stories.ts`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import t from 'tap'
import { build } from '../bundled.ts'
import { startServer } from '../contract/server.ts'
import { FURTHER, homes, tellAll, told } from './stories.ts'
import { storyOf } from './story.ts'

const root = join(import.meta.dirname, '../..')

t.test('the stories do what they show', t => tellAll(t, FURTHER))

/** A job: its name, and what it runs. */
type Job = [name: string, lines: string[]]

/** Each system's example as that system reads it. */
const SYSTEMS: Record<string, (example: string) => Job[]> = {
  GitHub: example => {
    const { jobs } = parseYaml(example) as { jobs: Record<string, { steps: { run?: string }[] }> }
    return Object.entries(jobs).map(([name, { steps }]) => [name, steps.flatMap(({ run }) => run ?? [])])
  },
  GitLab: example => {
    const all = parseYaml(example) as Record<string, { extends: string; before_script: string[]; script: string[] }>
    const jobs = Object.entries(all).filter(([name]) => !name.startsWith('.'))
    return jobs.map(([name, job]) => [name.replace(/ texts$/, ''), [...all[job.extends]!.before_script, ...job.script]])
  },
}

/** What of a job is ours; the rest is the app's. A translation needs a machine: test/cli/commands/translate. */
const isOurs = (line: string) => /^(curl|node parlance\.mjs) (?!translate )/.test(line)

t.test('each job of docs/ci.md works, in a fresh checkout', async t => {
  build()
  const server = await startServer(t)
  const home = homes(t)
  const page = readFileSync(join(root, 'docs/ci.md'), 'utf8')
  for (const [system, jobsOf] of Object.entries(SYSTEMS)) {
    const [, example = ''] = new RegExp(`^## ${system}$[^]*?^\`\`\`yaml\\n([^]*?)^\`\`\``, 'm').exec(page)!
    const jobs = jobsOf(example)
    t.strictSame(
      jobs.map(([name]) => name),
      ['check', 'push', 'build', 'preview', 'types'],
      system,
    )
    const typed = jobs.flatMap(([name, lines]) => [
      `cp -r . ../${name} && cd ../${name}`,
      ...lines.filter(isOurs).map(line => line.replace(/\$\{\{ github\.sha \}\}/, '$CI_COMMIT_SHA')),
      'cd ../app',
    ])
    t.equal(typed.filter(isOurs).length, 11, `${system}: each fetches the CLI, and runs it`)
    const story = [
      '```json parlance.config.json',
      '{ "project": "web" }',
      '```',
      '```json locales/en/common.json',
      '{ "save": "Save" }',
      '```',
      '```console',
      '$ export PARLANCE_URL=http://localhost:3000 PARLANCE_TOKEN=$TOKEN CI=true CI_COMMIT_SHA=e4f927de',
      '$ parlance init --yes && rm -r .parlance && sed -i s/Save/Keep/ locales/en/common.json',
      ...typed.map(line => `$ ${line}`),
      '$ parlance history --limit 1',
      '$ cat ../types/i18next.d.ts',
      '```',
    ]
    const came = await told(server, storyOf(story.join('\n')), join(home, `ci-${system.toLowerCase()}`))
    for (const [index, line] of ['', '', ...typed].entries()) t.notMatch(came[index], /\[exit/, `${system}: ${line}`)
    t.match(came.at(-2), 'e4f927de', 'the commit of the texts names the one of the code')
    t.match(came.at(-1), '"save": "Keep"', 'types of what was pushed')
  }
})
