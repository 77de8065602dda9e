/** Keys with a fault that `ignore` names: they block no other key. */
import t, { type Test } from 'tap'
import { Checkout, newProject } from '../checkout.ts'
import { type Parlance, startParlance } from '../command.ts'

let parlance: Parlance
t.before(async () => {
  parlance = await startParlance(t)
})

const common = 'locales/en/common.json'
const CONFIG = {
  'i18next.config.js': "module.exports = { locales: ['en', 'de'], extract: { input: [], sort: false } }\n",
}
const project = (bundles: Record<string, object> = {}) => newProject(parlance, bundles)
const checkout = (t: Test, env: Record<string, string>, files: Record<string, unknown>) =>
  new Checkout(t, env, { ...CONFIG, ...files })

const long = 'k'.repeat(1025)

/** Each kind of fault that a rule can leave out: a member beside good ones, and rules that name it. */
const FAULTS: Record<string, { member: string; rules: string[] }> = {
  'no text': { member: '"bad": 1', rules: ['bad', 'common:bad', 'b*', 'common:b*'] },
  'no text in an object': { member: '"in": { "bad": null }', rules: ['in.bad', 'in.*', 'common:in.*'] },
  'no text in an array': { member: '"list": ["a", false]', rules: ['list', 'list.*', 'common:list'] },
  'a name that stands twice': { member: '"bad": "A",\n  "bad": "B"', rules: ['bad'] },
  'a name that stands twice in an object': { member: '"in": { "bad": "A", "bad": "B" }', rules: ['in.bad'] },
  'a name with dots that stands twice': { member: '"in": { "bad": "A" },\n  "in.bad": "B"', rules: ['in.bad'] },
  'plurals of v3': { member: '"item": "one",\n  "item_plural": "many"', rules: ['item_plural', 'item*'] },
  'ICU plurals': { member: '"bad": "{n, plural, one {a} other {b}}"', rules: ['bad'] },
  'a long name': { member: `"${long}": "L"`, rules: ['kkk*'] },
  'half a surrogate pair': { member: '"bad": "\\ud800"', rules: ['bad'] },
  'a backslash too many': { member: '"bad": "\\q"', rules: ['bad'] },
  'a colon in the name': { member: '"Note: this": 1', rules: ['Note: this', 'common:Note: this'] },
}

for (const [what, { member, rules }] of Object.entries(FAULTS)) {
  t.test(`one key with a fault does not block the others: ${what}`, async t => {
    const text = `{\n  "home": "Home",\n  ${member},\n  "help": "Help"\n}\n`
    for (const rule of rules) {
      const web = await project()
      const app = checkout(t, web.env, { [common]: text })
      t.equal((await app.run('push')).code, 1, 'blocked without a rule')
      app.write('parlance.config.json', { ignore: [rule] })
      const pushed = await app.run('push --json')
      t.match(
        pushed,
        { code: 0, json: { ignoredKeys: [{ rule, keys: rule === 'item*' ? 2 : 1 }] } },
        `${rule}: ${pushed.err}`,
      )
      const { item: _, ...sent } = await web.get('en/common')
      t.strictSame(sent, { home: 'Home', help: 'Help' })
      await web.set('en/common/home', 'Start')
      const pulled = await app.run('pull')
      t.equal(pulled.code, 0, pulled.err)
      t.equal(app.text(common), text.replace('"Home"', '"Start"'), 'a pull leaves its bytes alone')
      t.match(await app.run('diff'), { code: 0, out: 'No key differs.\n' })
      t.equal((await app.run('push --json')).json.revision, null)
    }
  })
}

t.test('a text and an object of one name: a rule for the text leaves the object', async t => {
  const [asText, asObject] = ['"bad": "A"', '"bad": { "low": "Low", "high": "High" }']
  for (const members of [
    [asText, asObject],
    [asObject, asText],
  ]) {
    const web = await project()
    const text = `{\n  "home": "Home",\n  ${members.join(',\n  ')}\n}\n`
    const app = checkout(t, web.env, { [common]: text })
    t.match(await app.run('push'), { code: 1, err: /has this name twice/ })
    t.match(await app.run('push --leave-out bad'), { code: 0 }, members.join())
    t.strictSame(await web.get('en/common'), { home: 'Home', bad: { low: 'Low', high: 'High' } })
    app.write('parlance.config.json', { ignore: ['bad'] })
    await web.set('en/common/bad.low', 'Lower')
    t.match(await app.run('pull'), { code: 0 })
    t.equal(app.text(common), text.replace('"Low"', '"Lower"'))
    t.equal((await app.run('push --json')).json.revision, null)
  }
})
