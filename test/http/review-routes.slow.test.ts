/** No writing route lets a translator show a text that no one has reviewed, nor end the review of a language. */
import t from 'tap'
import type { LanguageRights, RightLevel } from '../../src/auth/rights.ts'
import { openScene, type Reply, type Scene } from './server.ts'
import { unzip } from './unzip.ts'

/** `npm test` tries each attack as one of the attackers in turn. */
const ALL = process.env.RIGHTS === 'all'

/** In each text that no one has reviewed. */
const BAD = 'unreviewed'

/** A project with approved German texts. No one has reviewed the earlier ones and the French ones. */
interface Stage {
  path: string
  slug: string
  /** Before the bad German texts were replaced, the commit that replaced them, and the newest one. */
  bad: string
  good: string
  reviewed: string
}

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

async function stage(slug: string): Promise<Stage> {
  const { server, acme } = scene
  const path = await server.project(acme.key, slug)
  const admin = (method: string, url: string, body: object) => server.must(method, url, { key: acme.key, body })
  const newest = () => server.newest(acme.id)
  const put = (language: string, body: object) =>
    admin('PUT', `${path}/bundles/${language}/common?overwrite=true`, body)
  await put('en', { a: 'A', b: 'B', item_one: 'i', item_other: 'j' })
  await put('de', { a: `${BAD} a`, item_one: `${BAD} i`, item_other: `${BAD} j` })
  const bad = await newest()
  await put('de', { a: 'gut a', item_one: 'gut i', item_other: 'gut j' })
  const good = await newest()
  await put('fr', { a: `${BAD} fr`, b: `${BAD} b` })
  await admin('POST', `${path}/approve`, { language: 'de' })
  await admin('PATCH', path, { review: { de: { fourEyes: false } } })
  return { path, slug, bad, good, reviewed: await newest() }
}

/** Sends requests in order, as the attacker. */
type Send = (method: string, path: string, body?: unknown) => Promise<Reply>
type Attack = (send: Send, at: Stage) => Promise<unknown>

const text = `${BAD} now`
const ATTACKS: Record<string, Attack> = {
  'writes a key': (send, { path }) => send('PUT', `${path}/bundles/de/common/a`, { value: text }),
  'writes a form': (send, { path }) => send('PUT', `${path}/bundles/de/common/item_one`, { value: text }),
  'writes a bundle': (send, { path }) =>
    send('PUT', `${path}/bundles/de/common?overwrite=true&prune=true`, { b: text, item_other: text }),
  'adds missing keys': (send, { path }) => send('POST', `${path}/bundles/de/common`, { b: text, fresh: text }),
  'adds a namespace': (send, { path }) => send('POST', `${path}/bundles/de/other`, { b: text }),
  pushes: (send, { path }) =>
    send('POST', `${path}/push?overwrite=true&prune=true`, { bundles: { de: { common: { a: text, b: text } } } }),
  'changes texts': (send, { path }) =>
    send('POST', `${path}/changes`, { set: [{ language: 'de', namespace: 'common', key: 'a', value: text }] }),
  'changes texts by a plan': async (send, { path }) => {
    const changes = { set: [{ language: 'de', namespace: 'common', key: 'a', value: text }] }
    const { json } = await send('POST', `${path}/changes?dryRun=true`, changes)
    return send('POST', `${path}/changes`, { ...changes, plan: json.plan })
  },
  'suggests, and accepts': async (send, { path }) => {
    const { json } = await send('POST', `${path}/suggestions/de/common/a`, { value: text })
    const ids = [json.id]
    await send('POST', `${path}/suggestions/accept`, { language: 'de', ids, anyway: true })
    await send('POST', `${path}/suggestions/accept`, { language: 'de', ids, values: { [json.id]: text } })
  },
  'restores the project': (send, { path, bad }) => send('POST', `${path}/restore`, { at: bad }),
  'restores the language': (send, { path, bad }) => send('POST', `${path}/restore`, { at: bad, language: 'de' }),
  'restores a key': (send, { path, bad }) =>
    send('POST', `${path}/restore`, { at: bad, language: 'de', namespace: 'common', key: 'a' }),
  'deletes the language, and restores it': async (send, { path, bad }) => {
    await send('DELETE', `${path}/bundles/de`)
    await send('POST', `${path}/restore`, { at: bad, language: 'de' })
    await send('POST', `${path}/restore`, { at: bad })
  },
  'undoes a correction': (send, { path, good }) => send('POST', `${path}/revert`, { revision: good }),
  'undoes a correction and the review': (send, { path, good, reviewed }) =>
    send('POST', `${path}/revert`, { revisions: [good, reviewed] }),
  'undoes the review, and writes': async (send, { path, reviewed }) => {
    await send('POST', `${path}/revert`, { revision: reviewed })
    await send('PUT', `${path}/bundles/de/common/a`, { value: text })
  },
  'deletes a key, and writes it': async (send, { path }) => {
    await send('DELETE', `${path}/bundles/de/common/a`)
    await send('PUT', `${path}/bundles/de/common/a`, { value: text })
    await send('POST', `${path}/delete-key`, { namespace: 'common', key: 'b' })
    await send('PUT', `${path}/bundles/de/common/b`, { value: text })
  },
  'writes under another name, and renames': async (send, { path }) => {
    await send('PUT', `${path}/bundles/en/common/z`, { value: 'Z' })
    await send('PUT', `${path}/bundles/de/common/z`, { value: text })
    await send('DELETE', `${path}/bundles/de/common/a`)
    await send('DELETE', `${path}/bundles/en/common/a`)
    await send('POST', `${path}/rename-key`, { namespace: 'common', from: 'z', to: 'a' })
  },
  'renames a namespace, and writes': async (send, { path, bad }) => {
    await send('POST', `${path}/rename-namespace`, { from: 'common', to: 'shared' })
    await send('PUT', `${path}/bundles/de/shared/a`, { value: text })
    await send('POST', `${path}/restore`, { at: bad })
  },
  'renames the language, writes, and renames it back': async (send, { path }) => {
    await send('POST', `${path}/rename-language`, { from: 'de', to: 'sv' })
    await send('PUT', `${path}/bundles/sv/common/a`, { value: text })
    await send('POST', `${path}/rename-language`, { from: 'sv', to: 'de' })
  },
  'renames another language to a deleted one': async (send, { path }) => {
    await send('DELETE', `${path}/bundles/de`)
    await send('POST', `${path}/rename-language`, { from: 'fr', to: 'de' })
    await send('PUT', `${path}/bundles/de/common/b`, { value: text })
  },
  'renames another language to one that was renamed': async (send, { path }) => {
    await send('POST', `${path}/rename-language`, { from: 'de', to: 'sv' })
    await send('POST', `${path}/rename-language`, { from: 'fr', to: 'de' })
    await send('PUT', `${path}/bundles/de/common/b`, { value: text })
  },
  'ends the review, and writes': async (send, { path }) => {
    await send('PATCH', path, { review: { de: null } })
    await send('PUT', `${path}/bundles/de/common/a`, { value: text })
  },
  'loosens the review': async (send, { path }) => {
    await send('PATCH', path, { review: { de: { fourEyes: true } } })
    await send('PATCH', path, { defaultFormat: 'i18next-json-flat', review: { de: null } })
    await send('PUT', `${path}/bundles/de/common/a`, { value: text })
  },
  'deletes the project, and restores an earlier one': async (send, { path, bad }) => {
    await send('DELETE', path)
    await send('POST', `${path}/restore`, { at: bad })
  },
  'deletes the project, and creates it': async (send, { path, slug }) => {
    await send('DELETE', path)
    await send('POST', '/api/projects', { slug, name: slug, sourceLanguage: 'en' })
    await send('PUT', `${path}/bundles/de/common`, { a: text })
  },
  'changes the format, and writes': async (send, { path }) => {
    await send('PATCH', path, { defaultFormat: 'i18next-json-flat' })
    await send('PUT', `${path}/bundles/de/common/a`, { value: text })
    await send('POST', `${path}/push?overwrite=true`, { bundles: { de: { common: { 'a.b': text, a: text } } } })
  },
  'approves, confirms and dismisses': async (send, { path }) => {
    await send('PUT', `${path}/bundles/de/common/b`, { value: text })
    await send('POST', `${path}/approve`, { language: 'de' })
    await send('POST', `${path}/confirm`, { language: 'de', namespace: 'common', keys: ['b'] })
    await send('POST', `${path}/dismiss`, { language: 'de', namespace: 'common', key: 'b', kind: 'space' })
    await send('PUT', `${path}/bundles/de/common/b`, { value: text })
  },
  'applies a plan as an agent': async (send, { slug }) => {
    const arguments_ = { project: slug, set: [{ language: 'de', namespace: 'common', key: 'a', value: text }] }
    for (const name of ['plan', 'apply'])
      await send('POST', '/api/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: arguments_ },
      })
  },
}

/** What an app reads of the languages with a review, and what clones have of them. */
async function shownTexts({ path, slug, reviewed }: Stage): Promise<[string, string][]> {
  const { server, acme } = scene
  await server.call('POST', `${path}/releases`, { key: acme.key, body: { name: 'after' } })
  const { languages = [], namespaces = [], review } = (await server.get(path, acme.key)).json
  const reviewedOnes = languages.filter((name: string) => name === 'de' || review?.[name])
  const paths = [
    path,
    `${path}/types.d.ts`,
    `${path}/bundles/${reviewedOnes.join('+')}/${namespaces.join('+')}?multi=true`,
  ]
  for (const language of reviewedOnes) {
    paths.push(`${path}/bundles/${language}`)
    for (const namespace of namespaces)
      for (const at of ['', '?at=after']) paths.push(`${path}/bundles/${language}/${namespace}${at}`)
  }
  const shown: [string, string][] = []
  for (const url of paths) shown.push([url, (await server.get(url, acme.key)).text])
  for (const language of reviewedOnes) {
    const url = `${path}/export?language=${language}`
    const files = unzip((await server.get(url, acme.key)).bytes)
    shown.push([url, JSON.stringify([...files.values()].map(String))])
  }
  const range = `${reviewed}..${await server.newest(acme.id)}`
  const later = server.git(acme.id, 'log', '-p', '--format=', range, '--', `${slug}/locales/de`)
  return [...shown, ['a clone', later.match(/^\+.*/gm)?.join('\n') ?? '']]
}

t.test('no route shows a text of a translator, or of a person who suggests', async t => {
  const { server, acme, member } = scene
  const rights = (may: RightLevel): LanguageRights => [{ languages: ['*'], may }]
  await server.narrow(acme, member, rights('suggest'))
  const body = { name: 'agency', rights: rights('translate') }
  const { key } = (await server.must('POST', '/api/tokens', { as: acme.owner, body })).json
  const attackers = Object.entries({ 'a member who may suggest': { as: member }, 'an agency': { key } })
  let at = 0
  for (const [name, attack] of Object.entries(ATTACKS)) {
    for (const [who, credential] of ALL ? attackers : [attackers[at % 2] as (typeof attackers)[number]]) {
      const here = await stage(`p${at++}`)
      await attack(async (method, path, body) => {
        const reply = await server.call(method, path, { ...credential, ...(body !== undefined && { body }) })
        if (reply.status >= 500) t.fail(`${who} ${name}: ${reply.status} ${reply.text}`)
        return reply
      }, here)
      const shown = (await shownTexts(here)).filter(([, text]) => text.includes(BAD))
      t.strictSame(shown, [], `${who} ${name}`)
    }
  }
})
