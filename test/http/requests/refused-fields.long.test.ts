/**
 * Each member of each body, each parameter of each query, and each argument of each tool for agents, with each kind of
 * wrong value: a refusal names the culprit in our words. All come from the OpenAPI document and from the list of tools,
 * so a new one needs no row here.
 */
import t from 'tap'
import { Agent } from '../../mcp/agent.ts'
import { furnish, NAMES, WRITES } from '../../security/routes.ts'
import { type Operation, operationsOf } from '../fuzz/from-openapi.ts'
import { wholeOf } from '../fuzz/one-wrong.ts'
import type { Known, Schema } from '../fuzz/values.ts'
import { openScene, type Scene } from '../server.ts'

const KNOWN: Known = {
  ...Object.fromEntries(Object.entries(NAMES).map(([name, value]) => [name, [value]])),
  ...{ name: ['fresh'], language: ['de'], languages: ['de'], sourceLanguage: ['en'], namespaces: ['common'] },
  ...{
    projects: ['vault'],
    project: ['vault'],
    from: ['en'],
    to: ['de'],
    is: ['missing'],
    save: ['text'],
    may: ['review'],
  },
  ...{ defaultFormat: ['i18next-json'], refs: ['src/a.ts:1'], kind: ['space'], prefix: ['{{'], suffix: ['}}'] },
}
const WRONG = [1e99, -1, 0.5, 7, null, true, '', 'nope', 'x'.repeat(5000), [], [7], [[]], {}, { nope: 7 }]
const WRONG_TEXTS = ['', 'nope', '-1', '1e99', 'NaN', '0.5', 'x'.repeat(3000), 'a\0b', '[]', 'true']
const MISSING = Symbol('no member')
/** The words of zod's English messages, and of values that JSON does not have. */
const RAW = /Invalid |Too (big|small)|Unrecognized|expected \w|received|of type|wrong form|NaN|undefined|\[object/

let scene: Scene
let operations: Operation[]
t.setTimeout(0)
t.before(async () => {
  scene = await openScene(t)
  await furnish(scene.server, scene.acme.key)
  // better-auth's are in test/auth/fuzz.long.test.ts.
  const all = operationsOf((await scene.server.get('/api/openapi.json')).json)
  operations = all.filter(({ path }) => !/^\/api\/(auth\/|mcp)/.test(path))
})

type Path = readonly string[]

/** The paths into a value with a wrong value for each: one member less or more is one, too. */
function* wrongValues(whole: unknown, path: Path = []): Generator<[path: Path, value: unknown]> {
  for (const value of WRONG) yield [path, value]
  if (typeof whole !== 'object' || whole === null) return
  const isList = Array.isArray(whole)
  if (!isList) yield [[...path, 'colour'], 'red']
  for (const [name, value] of Object.entries(whole)) {
    if (!isList) yield [[...path, name], MISSING]
    yield* wrongValues(value, [...path, name])
  }
}

function withValue(whole: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value
  const members = { ...(whole as Record<string, unknown>) }
  if (rest.length === 0 && value === MISSING) delete members[name]
  else members[name] = withValue(members[name], rest, value)
  return Array.isArray(whole) ? Object.values(members) : members
}

/** Bodies with all members: each union by its first branches, then by its second. */
function wholesOf(schema: Schema): unknown[] {
  const branch = (value: unknown, index: number): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(one => branch(one, index))
    const { anyOf } = value as Schema
    if (anyOf) return branch(anyOf[index % anyOf.length], index)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, branch(one, index)]))
  }
  return [0, 1].map(index => wholeOf(branch(schema, index) as Schema, KNOWN))
}

/** What is wrong with a refusal of a value, if anything. */
function faultOf(error: string, path: Path, value: unknown, usual = new Set()): string | undefined {
  const words = error.replaceAll(/"(\\.|[^"\\])*"/g, '""')
  if (RAW.test(words)) return 'has raw words'
  if (!/^[A-Z"].*[.…]$/su.test(error)) return 'is no sentence'
  if (/\.\./.test(words)) return 'ends twice'
  if (error.length > 1000) return 'is long'
  const quoted = [value, ...Object.keys(Object(value))].map(name => JSON.stringify(name)?.slice(0, 20) ?? '')
  const named = [...path.filter(name => !/^\d+$/.test(name)), ...(path.length === 0 ? [''] : quoted.filter(Boolean))]
  const isNamed = named.some(name => error.includes(name)) || /\b(no|one) (form|text)|needs a text/.test(error)
  return isNamed || usual.has(error) ? undefined : 'names no culprit'
}

/** Errors for other reasons than a wrong value: of the body with names that are unknown, and with a member less. */
async function errorsOf(whole: unknown, ask: (body: unknown) => Promise<string | undefined>): Promise<Set<unknown>> {
  const less = Object.keys(Object(whole)).map(name => withValue(whole, [name], MISSING))
  const errors = new Set<unknown>()
  for (const body of [whole, ...less]) errors.add(await ask(body))
  return errors
}

const shown = (value: unknown) => (value === MISSING ? 'missing' : JSON.stringify(value)?.slice(0, 60))
const urlOf = (path: string) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'language' ? 'de' : ((NAMES as Record<string, string>)[name] ?? 'x'),
  )

t.test('names the culprit of a refused body', async t => {
  const faults = new Set<string>()
  let refused = 0
  const { server, acme } = scene
  for (const { method, path, requestBody } of operations) {
    const schema = requestBody?.content['application/json']?.schema
    if (schema === undefined) continue
    const ask = (body: unknown) => server.call(method, urlOf(path), { as: acme.owner, body: JSON.stringify(body) })
    for (const whole of wholesOf(schema)) {
      const usual = await errorsOf(whole, async body => (await ask(body)).json?.error)
      for (const [at, value] of wrongValues(whole)) {
        const { status, json, text } = await ask(withValue(whole, at, value))
        if (status >= 500 && status !== 501) faults.add(`${method} ${path}: ${status} ${text}`)
        if (status !== 400 && status !== 422) continue
        refused++
        const fault = faultOf(json.error, at, value, usual)
        if (fault)
          faults.add(`${method} ${path} ${at.join('.')} ${shown(value)}: ${fault}: ${json.error.slice(0, 300)}`)
      }
    }
    await furnish(server, acme.key)
  }
  t.strictSame([...faults], [])
  t.ok(refused > 1500, `${refused} refused`)
})

t.test('names the culprit of a refused query', async t => {
  const faults = new Set<string>()
  let refused = 0
  const { server, acme } = scene
  for (const { method, path, parameters = [] } of operations) {
    const body = WRITES[`${method} ${path}`]?.body
    const ask = (query: string) =>
      server.call(method, `${urlOf(path)}?${query}`, { as: acme.owner, ...(body !== undefined && { body }) })
    for (const { name } of parameters.filter(one => one.in === 'query')) {
      for (const value of WRONG_TEXTS) {
        for (const more of ['', `&${name}=again`]) {
          const { status, json, text } = await ask(`${name}=${encodeURIComponent(value)}${more}`)
          if (status >= 500 && status !== 501) faults.add(`${method} ${path}: ${status} ${text}`)
          if (status !== 400) continue
          refused++
          const fault = /is missing/.test(json.error) ? undefined : faultOf(json.error, [name], value)
          if (fault) faults.add(`${method} ${path} ${name} ${shown(value)}: ${fault}: ${json.error.slice(0, 300)}`)
        }
      }
    }
    if (method !== 'GET') await furnish(server, acme.key)
  }
  t.strictSame([...faults], [])
  t.ok(refused > 500, `${refused} refused`)
})

t.test('names the culprit of a refused argument of a tool', async t => {
  const faults = new Set<string>()
  let refused = 0
  const agent = new Agent(scene.server, scene.acme.key)
  const { tools } = await agent.rpc('tools/list')
  for (const { name, inputSchema } of tools) {
    for (const whole of wholesOf(inputSchema)) {
      const usual = await errorsOf(whole, async body => (await agent.call(name, body as object))?.error)
      for (const [at, value] of wrongValues(whole)) {
        if (at.length === 0) continue
        const error = (await agent.call(name, withValue(whole, at, value) as object))?.error
        if (error === undefined) continue
        refused++
        const fault = faultOf(error, at, value, usual)
        if (fault) faults.add(`${name} ${at.join('.')} ${shown(value)}: ${fault}: ${error.slice(0, 300)}`)
      }
    }
  }
  t.strictSame([...faults], [])
  t.ok(refused > 400, `${refused} refused`)
})
