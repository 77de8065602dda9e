/** The stale notes after random histories of every write that changes texts. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { eventually, type Server, startServer } from '../contract/server.ts'
import { newFolder } from '../new-folder.ts'
import { walk } from '../stale-walk.ts'

const KEYS = ['a', 'b', 'n.c', 'n.d', 'p']
const LANGUAGES = ['en', 'de', 'fr']
const key = fc.constantFrom(...KEYS)
const language = fc.constantFrom(...LANGUAGES)
const text = fc.constantFrom('one', 'two', 'three', '')
const filled = fc.constantFrom('one', 'two', 'three')
const plural = fc.record({ one: filled, other: filled })
const value = fc.oneof({ weight: 4, arbitrary: text as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: plural })
const leaf = fc.constantFrom('a', 'b', 'n.c', 'n.d', 'p_one', 'p_other')
const resource = fc.dictionary(leaf, text, { maxKeys: 5 })
const scope = fc.record({ language, namespace: fc.constant('common'), key }, { requiredKeys: [] })

type Act = (server: Server, token: string, revisions: string[], outside: Outside) => Promise<unknown>

/** Changes of a person in the folder of the organization. */
interface Outside {
  edit(of: string, resource: unknown): Promise<unknown>
  /** Stops the server, commits each edit, and starts the server again. */
  commits(edits: readonly (readonly [of: string, resource: unknown])[]): Promise<unknown>
}

const url = '/api/projects/web'
const bundle = (of: string) => `${url}/bundles/${of}/common`

/** One change. A refused change is fine. */
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(key, value).map(
      ([name, value]): Act =>
        (s, k) =>
          s.put(`${bundle('en')}/${name}`, k, { value }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(language, key, value).map(
      ([of, name, value]): Act =>
        (s, k) =>
          s.put(`${bundle(of)}/${name}`, k, { value }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(language, resource, fc.boolean()).map(
      ([of, body, prune]): Act =>
        (s, k) =>
          s.put(`${bundle(of)}?prune=${prune}`, k, body),
    ),
  },
  fc.tuple(language, resource).map(
    ([of, body]): Act =>
      (s, k) =>
        s.post(bundle(of), k, body),
  ),
  fc.tuple(language, key).map(
    ([of, name]): Act =>
      (s, key) =>
        s.call('DELETE', `${bundle(of)}/${name}`, { key }),
  ),
  {
    weight: 2,
    arbitrary: fc.tuple(key, key).map(
      ([from, to]): Act =>
        (s, k) =>
          s.post(`${url}/rename-key`, k, { namespace: 'common', from, to }),
    ),
  },
  language.map(
    (of): Act =>
      (s, key) =>
        s.call('DELETE', bundle(of), { key }),
  ),
  fc.boolean().map(
    (flat): Act =>
      (s, key) =>
        s.call('PATCH', url, { key, body: { defaultFormat: flat ? 'i18next-json-flat' : 'i18next-json' } }),
  ),
  fc.tuple(language, resource, language, resource, fc.boolean()).map(
    ([a, one, b, two, prune]): Act =>
      (s, k) =>
        s.post(`${url}/push?prune=${prune}&overwrite=true`, k, {
          bundles: { [a]: { common: one }, [b]: { common: two } },
        }),
  ),
  {
    weight: 2,
    arbitrary: fc.tuple(language, key).map(
      ([of, name]): Act =>
        (s, k) =>
          s.post(`${url}/confirm`, k, { language: of, namespace: 'common', keys: [name] }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.nat().map(
      (nth): Act =>
        async (s, k, revisions) =>
          revisions.length === 0
            ? undefined
            : s.post(`${url}/revert`, k, { revision: revisions.at(-1 - (nth % Math.min(revisions.length, 6))) }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(scope, fc.nat()).map(
      ([part, nth]): Act =>
        async (s, key, revisions) => {
          if (revisions.length === 0) return
          const { key: only, ...rest } = part
          const body = { at: revisions[nth % revisions.length], ...rest, ...(rest.namespace && only && { key: only }) }
          return s.call('POST', `${url}/restore`, { key, body })
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(language, resource).map(
      ([of, body]): Act =>
        (_s, _k, _revisions, outside) =>
          outside.edit(of, body),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.array(fc.tuple(language, resource), { minLength: 1, maxLength: 4 }).map(
      (edits): Act =>
        (_s, _k, _revisions, outside) =>
          outside.commits(edits),
    ),
  },
)

const BY_HAND = 'by hand'
const isOutside = (subject: string) => subject === BY_HAND || subject.startsWith('external edit of ')

t.test('writes the stale notes that a walk over the history yields, after each commit', async t => {
  const histories = fc.sample(fc.array(act, { minLength: 40, maxLength: 80 }), Number(process.env.HISTORIES ?? 2))
  let commits = 0
  let stale = 0
  for (const acts of histories) {
    const dataDir = join(newFolder(t), 'data')
    let server = await startServer(t, { dataDir })
    const { id, key: token } = await server.organization()
    await server.project(token, 'web')
    const write = (of: string, resource: unknown) => {
      const file = join(server.repository(id), `web/locales/${of}/common.json`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify(resource))
    }
    const outside: Outside = {
      async edit(of, resource) {
        await server.newest(id)
        await eventually(() => server.git(id, 'status', '--porcelain') === '')
        write(of, resource)
        // In canonical bytes, and committed if it changes a text.
        await eventually(() => server.git(id, 'status', '--porcelain') === '')
      },
      async commits(edits) {
        await server.close()
        for (const [of, resource] of edits) {
          write(of, resource)
          server.git(id, 'add', '-A')
          server.git(
            id,
            '-c',
            'user.name=Ann',
            '-c',
            'user.email=ann@example.com',
            'commit',
            '-qm',
            BY_HAND,
            '--allow-empty',
          )
        }
        server = await startServer(t, { dataDir })
      },
    }
    const revisions: string[] = []
    for (const run of acts) {
      await run(server, token, revisions, outside)
      const { json } = await server.get(`${url}/history?limit=1`, token)
      const newest = json.revisions[0]?.revision
      if (newest && newest !== revisions.at(-1)) revisions.push(newest)
    }
    await server.close()
    const steps = [...walk(server.repository(id), { slug: 'web', namespace: 'common', source: 'en' })]
    let isTakenOver = false
    for (const [at, { id: commit, subject, expected, found }] of steps.entries()) {
      commits++
      if (expected !== '') stale++
      // A commit of a person has no notes until the server has read it.
      isTakenOver = subject === BY_HAND || (isTakenOver && isOutside(subject))
      if (isTakenOver && isOutside(steps[at + 1]?.subject ?? '')) continue
      if (found !== expected) t.equal(found, expected, `${commit.slice(0, 7)} ${subject}`)
    }
  }
  t.ok(stale > commits / 4, `${stale} of ${commits} commits have something stale`)
})
